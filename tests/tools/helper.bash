# What every black-box test stands on: a store of its own in a temporary directory, known surroundings, and an
# end that leaves nothing behind. FQ_BIN_DIR names the directory with the programs under test.

bats_require_minimum_version 1.5.0

TESTS_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FQ_BIN_DIR=${FQ_BIN_DIR:-$TESTS_DIR/../../build/release/bin}
PYTHON=$(command -v /usr/bin/python3 || command -v python3)
# What a test waits for at most, in seconds: long enough for a busy machine.
LIMIT=120
CHECKS=0

processes() { "$PYTHON" -IS "$TESTS_DIR/processes.py" "$@"; }

# prepare: surroundings that are the same everywhere. STORE names no store yet.
prepare() {
  local name
  for name in "${!FQ_@}" "${!FLUX_@}" "${!PMI_@}" CUDA_VISIBLE_DEVICES XDG_STATE_HOME XDG_CONFIG_HOME COLUMNS LINES NO_COLOR LANG LC_CTYPE LANGUAGE; do
    [[ $name == FQ_@(BIN_DIR|DOOR|OWNER_BIN) ]] || unset "$name"
  done
  [[ $FQ_BIN_DIR == /* && $FQ_BIN_DIR != */../* ]] || FQ_BIN_DIR=$(cd "$FQ_BIN_DIR" && pwd)
  export FQ_BIN_DIR PATH="$FQ_BIN_DIR:$PATH" LC_ALL=C.UTF-8 TZ=UTC0
  WORK=$BATS_TEST_TMPDIR/work
  STORE=$BATS_TEST_TMPDIR/store
  through_gate && share
  HOLDERS=()
  mkdir -p "$WORK" "$BATS_TEST_TMPDIR/home"
  export HOME=$BATS_TEST_TMPDIR/home
  umask 022
  cd "$WORK"
}

# With $FQ_OWNER_BIN the store is the one that all users share, behind the gate, and the commands there are run by its owner
# (tests/gate/through_gate).
through_gate() { [ -n "${FQ_OWNER_BIN-}" ]; }
share() {
  STORE=/var/lib/fq
  PATH=$FQ_OWNER_BIN:$PATH
  chmod 711 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_TEST_TMPDIR"
}
# in_store COMMAND...: as somebody who may look into the store.
in_store() { if through_gate; then root "$@"; else "$@"; fi; }

# make_store N:CORES[:GPUS]: a store with test nodes in $STORE, which $FQ_STORE names from now on.
make_store() {
  prepare
  fq-init --quiet --store "$STORE" --test-nodes "$1"
  export FQ_STORE=$STORE
}

# write_instance_config HOSTS: site.toml, in which queue `debug` is an instance that has these nodes, and none.toml, in
# which there is none.
write_instance_config() {
  printf '%s\n' 'policy.jobspec.defaults.system.queue = "batch"' '' '[queues.batch]' '' '[queues.debug]' "hosts = \"$1\"" 'instance = true' >site.toml
  echo '[queues.batch]' >none.toml
}

# check CODE STDOUT STDERR COMMAND...: the exit code and both outputs, whole. $MASK is a sed script (-E) that takes
# out of the outputs what differs from run to run.
check() {
  local code=$1 out=$2 err=$3
  shift 3
  # As `run --separate-stderr` does, with a third of its processes.
  local flags=$- file=$BATS_TEST_TMPDIR/stderr.$((CHECKS += 1)) got
  set +eET
  output=$("$@" </dev/null 2>"$file") && status=0 || status=$?
  set "-$flags"
  stderr=$(<"$file")
  IFS=$'\n' read -r -d '' -a lines <<<"$output" || true
  got="exit $status"$'\n-- stdout --\n'"$output"$'\n-- stderr --'"${stderr:+$'\n'$stderr}"
  [ -z "${MASK-}" ] || got=$(sed -E "$MASK" <<<"$got")
  expect "exit $code"$'\n-- stdout --\n'"$out"$'\n-- stderr --'"${err:+$'\n'$err}" "$got"
}

# refuses CODE MESSAGE COMMAND...: nothing on stdout, MESSAGE alone on stderr.
refuses() {
  local code=$1 message=$2
  shift 2
  check "$code" "" "$message" "$@"
}

# expect WANTED GOT: two texts are the same.
expect() {
  [ "$1" = "$2" ] && return
  diff -u --label expected --label got <(printf '%s\n' "$1") <(printf '%s\n' "$2") | tail -n +3
  return 1
}

# ended ID...: waits until the jobs are inactive.
ended() {
  local code=0
  timeout "$LIMIT" fq-job status "$@" 2>/dev/null || code=$?
  [ "$code" != 124 ]
}

# submit_held NAME [OPTION...]: prints the id of a job that, once it runs, tells `running NAME`, then waits for
# `release NAME [CODE]` and exits with CODE.
submit_held() {
  local name=$1
  shift
  mkfifo "$WORK/$name.up" "$WORK/$name.go"
  fq-submit --job-name="$name" "$@" sh -c '[ "$FLUX_TASK_RANK" = 0 ] || exit 0; echo >"$0.up"; read code <"$0.go"; exit "$code"' "$WORK/$name"
}
running() { timeout "$LIMIT" sh -c 'read line <"$0"' "$WORK/$1.up"; }
release() { timeout "$LIMIT" sh -c 'echo "$1" >"$0"' "$WORK/$1.go" "${2:-0}"; }

# hold_lock [FILE]: another process takes the store's lock (or FILE) until `release_lock`.
hold_lock() {
  local file=${1:-$STORE/lock}
  [ -p "$WORK/lock.up" ] || mkfifo "$WORK/lock.up" "$WORK/lock.go"
  in_store flock "$file" sh -c 'echo >"$0.up"; read line <"$0.go"' "$WORK/lock" </dev/null >/dev/null 2>&1 3>&- &
  HOLDERS+=($!)
  timeout "$LIMIT" sh -c 'read line <"$0"' "$WORK/lock.up"
}
release_lock() {
  timeout "$LIMIT" sh -c 'echo >"$0"' "$WORK/lock.go"
  wait "${HOLDERS[-1]}"
  unset 'HOLDERS[-1]'
}

# waiting PID: waits until the command sleeps, which it does once its wake file is there.
# (Or a process that answers it: $FQ_DOOR, or the gate.)
waiting() {
  # shellcheck disable=SC2016
  in_store timeout "$LIMIT" sh -c 'heirs() { for pid; do echo "$pid"; heirs $(cat "/proc/$pid/task/$pid/children"); done; }
    sleeps() { for pid in $(heirs "$1"); do ls "$store"/*."$pid" && return; done; }
    # An engine that another has handed the connection to is nobody'"'"'s heir: one for each gate that there is.
    through_gate() {
      gates=$(pgrep -xc fq-gate) && engines=0
      for pid in $(heirs "$1"); do grep -qx fq-gate "/proc/$pid/comm" && engines=1; done
      [ "$engines" = 1 ] || return 1
      engines=$(for file in "$store"/*.*; do [ ! -e "/proc/${file##*.}" ] || echo "${file##*.}"; done | sort -u | wc -l)
      [ "$engines" -ge "$gates" ]
    }
    store=$0
    until sleeps "$1" || through_gate "$1"; do sleep 0.02; done' "$STORE/wake" "$1" >/dev/null 2>&1
}

# shell_of ID: the pid of the job's shell.
shell_of() { processes find "$STORE" fq-shell "$(fq-job id --to=dothex "$1")"; }

# until_true COMMAND...: tries it until it succeeds, at most LIMIT seconds; now and then, for what it waits for needs the
# processor.
until_true() {
  local end=$((SECONDS + LIMIT))
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || { echo "never true: $*"; return 1; }
    sleep 0.03
  done
}

# Times, the boot id and task pids of an event log.
EVENT_MASK='s/^[0-9]+\.[0-9]{6} /T /; s/boot_id="[-0-9a-f]+"/boot_id="BOOT"/; s/pid=[0-9]+/pid=PID/'

# After every test: no job is active, nothing is allocated, no file of a job and no process is left.
teardown() {
  local pid ids left wrong=0
  for pid in "${HOLDERS[@]}"; do kill "$pid" 2>/dev/null || true; done
  cd /
  if in_store test -f "$STORE/db/CURRENT"; then
    export FQ_STORE=$STORE
    unset LC_ALL
    ids=$(in_store fq-jobs -A -q all -n -c 0 -o '{id.dec}')
    if [ -n "$ids" ]; then
      in_store fq-cancel --user=all --quiet
      # shellcheck disable=SC2086
      timeout "$LIMIT" fq-job status $ids || [ $? != 124 ]
    fi
    expect "allocated 0 0 0" "$(fq-resource list -n -s allocated -o '{state} {nnodes} {ncores} {ngpus}')" || wrong=1
  fi
  # Grep is started faster than python.
  if FQ_STORE='' grep -qsF -f - /proc/[0-9]*/cmdline /proc/[0-9]*/environ <<<"$STORE"; then
    in_store "$PYTHON" -IS "$TESTS_DIR/processes.py" leftovers "$STORE" || wrong=1
  fi
  if in_store test -d "$STORE"; then
    left=$(in_store sh -c 'cd "$0" && for place in alive guest inbox wake; do [ ! -d "$place" ] || find "$place" -mindepth 1; done' "$STORE")
    expect "" "$left" || wrong=1
  fi
  # Jobs of the next store may have the ids of this one's: fq-imp forgets them, as after a boot.
  ! through_gate || root find "$STORE" /run/fq-imp -mindepth 1 -delete 2>/dev/null || :
  return "$wrong"
}
