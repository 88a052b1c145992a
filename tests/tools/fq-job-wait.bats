#!/usr/bin/env bats
# fq-job wait: until a job has ended.

load helper

setup() { make_store 1:2; }

@test "wait returns the job's exit code and says how it ended" {
  # Nothing is said of success unless -v asks.
  check 0 "" "" fq-job wait "$(fq-submit true)"
  local id
  id=$(fq-submit sh -c 'exit 4')
  check 4 "" "fq-job: $id: task(s) exited with exit code 4" fq-job wait "$id"
  check 4 "" "fq-job: $id: task(s) exited with exit code 4" fq-job wait -v "$id"
  id=$(fq-submit sh -c 'kill -TERM $$')
  check 143 "" "fq-job: $id: task(s) Terminated" fq-job wait "$id"
  id=$(fq-submit true)
  check 0 "" "fq-job: $id: completed" fq-job wait -v "$id"
}

@test "wait on jobs that never ran" {
  # Canceled while pending, or a dependency that failed: code 1 and the reason.
  local id dep
  id=$(fq-submit --urgency=hold true)
  dep=$(fq-submit --dependency=afterok:"$id" true)
  fq-cancel "$id"
  check 1 "" "fq-job: $id: canceled" fq-job wait "$id"
  check 1 "" "fq-job: $dep: dependency: dependency after-success=$id can never be satisfied" fq-job wait "$dep"
}

@test "wait sleeps until the job ends" {
  # It returns after the release, not before, also when it began while the job was pending.
  local one two
  one=$(submit_held one -c2)
  two=$(submit_held two -c2)
  fq-job wait "$two" 2>err &
  local pid=$! code=0
  running one
  release one 0
  running two
  release two 9
  wait "$pid" || code=$?
  expect "9 fq-job: $two: task(s) exited with exit code 9" "$code $(cat err)"
  expect "CD" "$(fq-jobs -n -a -o '{status_abbrev}' "$one")"
}

@test "many wait for one job" {
  # All of ten return with its code.
  local id pids=() pid codes=()
  id=$(submit_held job)
  running job
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    fq-job wait "$id" 2>/dev/null &
    pids+=($!)
  done
  release job 6
  for pid in "${pids[@]}"; do
    wait "$pid" || codes+=($?)
  done
  expect "6 6 6 6 6 6 6 6 6 6" "${codes[*]}"
}

@test "wait's time-out gives 124 and changes nothing" {
  # The job still runs; its name and the time are said.
  local id
  id=$(submit_held job)
  running job
  check 124 "" "fq-job: job $id has not ended within 0.1 s" fq-job wait -t 0.1s "$id"
  check 124 "" "fq-job: job $id has not ended within 0 s" fq-job wait -t 0 "$id"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job 2
  check 2 "" "fq-job: $id: task(s) exited with exit code 2" fq-job wait -t 30s "$id"
  check 2 "" "fq-job: $id: task(s) exited with exit code 2" fq-job wait -t 0 "$id"
}

@test "wait for several jobs" {
  # All of them, whatever the order of their ends; the largest code; the time-out is for all together.
  local a b c
  a=$(fq-submit sh -c 'exit 3')
  b=$(fq-submit sh -c 'exit 5')
  c=$(fq-submit --urgency=hold true)
  check 5 "" "fq-job: $b: task(s) exited with exit code 5
fq-job: $a: task(s) exited with exit code 3" fq-job wait "$b" "$a" "$b"
  check 124 "" "fq-job: $a: task(s) exited with exit code 3
fq-job: job $c has not ended within 0.1 s" fq-job wait -t 0.1s "$a" "$c"
  refuses 1 "fq-job: job 123 does not exist" fq-job wait "$c" 123
}

@test "wrong operands and time-outs" {
  # Ids of jobs that there are; a duration.
  local form="expected a number with one of the units ms, s, m, h or d, or inf"
  refuses 1 "fq-job: job 123 does not exist" fq-job wait 123
  refuses 1 "fq-job: job 1 does not exist" fq-job wait 1 2
  refuses 2 "fq-job: --timeout: invalid duration 'soon': $form" fq-job wait -t soon 1
  refuses 2 "fq-job: --timeout: invalid duration '-1s': a duration cannot be negative" fq-job wait --timeout=-1s 1
}

@test "an interrupted wait leaves the job alone and no wake file" {
  # SIGTERM ends the wait; the job goes on; teardown finds wake/ empty.
  local id code=0
  id=$(submit_held job)
  running job
  fq-job wait "$id" &
  local pid=$!
  # It waits once its wake file is there.
  waiting "$pid"
  kill -TERM "$pid"
  wait "$pid" || code=$?
  expect 143 "$code"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job 0
  check 0 "" "" fq-job wait "$id"
}

@test "a dead waiter's wake file is cleared away" {
  # After SIGKILL of a waiting command nothing of it stays once its job has ended.
  local id
  id=$(submit_held job)
  running job
  fq-job wait "$id" &
  local pid=$!
  waiting "$pid"
  kill -KILL "$pid"
  wait "$pid" || true
  release job 0
  check 0 "" "" fq-job wait "$id"
  processes leftovers "$STORE"
  expect "" "$(ls "$STORE/wake")"
}
