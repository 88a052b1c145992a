# For scripts of unkillable.bats: run by bash beside a file system that does not answer.

BATS_TEST_TMPDIR=$(dirname "$PWD")
bats_require_minimum_version() { :; }
keep_store=$FQ_STORE keep_bin=$FQ_BIN_DIR keep_place=$PLACE
. "$(dirname "${BASH_SOURCE[0]}")/helper.bash"
export FQ_STORE=$keep_store FQ_BIN_DIR=$keep_bin
STORE=$FQ_STORE WORK=$PWD PLACE=$keep_place

# hang_and_kill_shell OPTION... [--keep]: a job whose task hangs; kills its shell, and unless --keep has a command find it.
hang_and_kill_shell() {
  local keep=
  [ "${*: -1}" != --keep ] || { keep=1; set -- "${@:1:$#-1}"; }
  mkfifo up
  id=$(PLACE=$PLACE fq-submit "$@" sh -c 'echo $$ >pid; echo >up; exec cat "$PLACE/hang"')
  read -r _ <up
  until_true grep -q '^State:.D' "/proc/$(cat pid)/status"
  kill_waker
  kill_shell "$id"
  [ -n "$keep" ] || fq-tick
}

# let_go: ends the sleep, and thereby the task.
let_go() {
  umount -f "$PLACE" || true
  until_true is_gone "$(cat pid)"
}

last_event() { fq-job info "$1" eventlog | tail -n 1 | sed 's/.*"name": *"\([a-z-]*\)".*/\1/'; }
