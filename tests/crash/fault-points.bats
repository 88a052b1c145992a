#!/usr/bin/env bats
# Processes die between any two effects of a change, and what was not synced is lost: the programs of tests/crash/fault.

load helper

setup() {
  use_faulty_programs
  fq-init --quiet --store "$STORE" --test-nodes 1:2
  export FQ_STORE=$STORE
}

drive() { "$PYTHON" "$CRASH_DIR/driver.py" "$@"; }

@test "a process dies at each named point" {
  # Each is passed by somebody, and afterwards nothing is lost, double or left behind.
  drive --points "$WORK/bin" "$STORE"
  all_free
}

@test "fq-init dies at each of its points" {
  # A second one makes the store, which then works.
  local point
  for point in directories-made database-made; do
    touch "bin/fault/$point"
    run --separate-stderr fq-init --quiet --store "$WORK/new" --test-nodes 1:2
    expect "137 " "$status $output"
    [ ! -e "bin/fault/$point" ]
    check 0 "" "" fq-init --quiet --store "$WORK/new" --test-nodes 1:2
    check 0 "works" "" fq-run --store "$WORK/new" echo works
    processes leftovers "$WORK/new"
    rm -rf new
  done
}

@test "a repair dies when it has replaced the database" {
  # Before it has done anything else, while a job runs: no command takes the store for a copy, and the job goes on.
  local id
  id=$(submit_held job)
  running job
  rm "$STORE/db/CURRENT"
  touch bin/fault/database-replaced
  run --separate-stderr fq-fsck --repair
  expect 137 "$status"
  [ -d "$STORE/damaged" ]
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job 3
  check 3 "" "fq-job: $id: task(s) exited with exit code 3" fq-job wait "$id"
  check 0 "checked 1 job: sound" "" fq-fsck --repair
}

@test "twenty rounds of random commands, kills and power failures" {
  # The laws are in driver.py. By hand: driver.py BIN STORE SEED 2000.
  drive "$WORK/bin" "$STORE" 20261121 20
  all_free
}

@test "the temporary directories of shells that died are removed" {
  # Of one that died when it had just made it, and of the next, which died a little later; when the job has ended.
  local id point
  mkdir tmp
  for point in tmpdir-made streams-opened; do
    touch "bin/fault/$point"
    id=$(TMPDIR=$WORK/tmp fq-submit true)
    until_true test ! -e "bin/fault/$point"
    fq-tick
    ended "$id"
    expect "CD" "$(fq-jobs -n -o '{status_abbrev}' "$id")"
    expect "2" "$(fq-job eventlog -p guest.exec.eventlog "$id" | sed -n 's/.* starting attempt=//p' | tail -n 1)"
    expect "" "$(ls tmp)"
  done
}

@test "what a killed shell left is removed though who ended the job dies" {
  # Before it has removed it: the next command does.
  local id
  mkdir tmp
  id=$(TMPDIR=$WORK/tmp submit_held job)
  running job
  [ -n "$(ls tmp)" ]
  kill_waker
  kill_shell "$id"
  touch bin/fault/deadline-set
  run fq-tick
  expect 137 "$status"
  fq-tick
  expect "F" "$(status_of "$id")"
  expect "" "$(ls tmp)"
}

@test "a process dies when it has asked a scheduler, before that is carried out" {
  # Nothing of it is stored: the waker finds that nobody is at it, and the scheduler is asked again.
  printf 'policy.scheduler.command = ["%s/../../examples/schedulers/easy.py"]\n' "$TESTS_DIR" >fq.toml
  fq-config load fq.toml
  touch bin/fault/schedulers-asked
  id=$(fq-submit true)
  ended "$id"
  [ ! -e bin/fault/schedulers-asked ]
  expect "CD" "$(status_of "$id")"
}

@test "a process dies while it tells a job's many dependants" {
  # What it has told is stored, and the next command tells the rest.
  local first id=0
  first=$(fq-submit --urgency=hold true)
  fq-queue stop --quiet
  fq-submit --quiet --cc=1-8000 --dependency=afterany:"$first" true
  touch bin/fault/committed
  run fq-cancel "$first"
  expect 137 "$status"
  [ "$(fq-jobs -n -c 0 -f depend -o '{id}' | wc -l)" -gt 0 ]
  check_store "$STORE"
  expect "$first: those that wait for job $first are being told of it
$first: scheduling is stopped" "$(fq-job why "$(fq-job last)" | sed "s/^[^:]*/$first/")"
  fq-tick
  expect 8000 "$(fq-jobs -n -c 0 -f sched -o '{id}' | wc -l)"
  check_store "$STORE"
  fq-cancel --all --quiet
  fq-queue start --quiet
}

@test "nobody stays for another's many dependants" {
  # Where the waker will see to them, a command that comes in between tells a part, as its turn, and leaves.
  local first
  first=$(fq-submit --urgency=hold true)
  fq-queue stop --quiet
  fq-submit --quiet --cc=1-8000 --dependency=afterany:"$first" true
  exec 9>>"$STORE/waker"
  flock 9 # as the waker does
  touch bin/fault/committed
  run fq-cancel "$first"
  expect 137 "$status"
  fq-submit --quiet --urgency=hold true
  [ "$(fq-jobs -n -c 0 -f depend -o '{id}' | wc -l)" -gt 0 ]
  check_store "$STORE"
  exec 9>&-
  fq-tick
  expect 8001 "$(fq-jobs -n -c 0 -f sched -o '{id}' | wc -l)"
  fq-cancel --all --quiet
  fq-queue start --quiet
}
