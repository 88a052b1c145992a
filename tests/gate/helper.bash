# What tests of the gate stand on: the world of tests/imp/helper.bash, with the gate and a store of user fq, each test one of
# its own.

load ../imp/helper

setup_file() {
  make_world
  install_gate
  # Whoever asks may not be able to come to where the tests are.
  nsenter -t "$(cat "$BATS_FILE_TMPDIR/world")" -m -- install -m 755 "$BATS_TEST_DIRNAME/speak.py" \
    "$BATS_TEST_DIRNAME/fuzz.py" "$BATS_TEST_DIRNAME/fuse.py" "$BATS_TEST_DIRNAME/../../schema/requests.json" /usr/libexec
}
teardown_file() { end_world; }

setup() {
  WORLD_PID=$(cat "$BATS_FILE_TMPDIR/world")
  as fq fq-init --quiet --store /var/lib/fq --test-nodes 2:4
}
# Each test has a store of its own.
teardown() {
  as fq fq-cancel --all --user=all --quiet
  until_so no_process_of_the_store
  world find /var/lib/fq -mindepth 1 -delete
}
no_process_of_the_store() { ! pgrep -f '^[^ ]*fq-(shell|waker|engine|tick) .*/var/lib/fq( |$)' >/dev/null; }
# until_so looks from a shell of its own.
export -f no_process_of_the_store
# The engine that answered last stays a moment for others.
nobody_stays() { ! pgrep -f '^fq-engine .*--stay' >/dev/null; }
export -f nobody_stays
# ended_as USER ID...: waits until the jobs are inactive.
ended_as() {
  local user=$1 code=0
  shift
  as "$user" timeout "$LIMIT" fq-job status "$@" >/dev/null 2>&1 || code=$?
  [ "$code" != 124 ]
}
# speaks USER VERB [WORD...]: to the gate, as no command does (speak.py).
speaks() { as "$1" timeout "$LIMIT" /usr/libexec/speak.py "${@:2}"; }
