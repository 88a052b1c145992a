#!/usr/bin/env bats
# fq-job wait without an id, and wait --all: waitable jobs, as Flux has them.

load helper

setup() { make_store 1:4; }

@test "wait gives each waitable job once, in the order of their ends" {
  # Its id on stdout, code 1 and a reason if it failed, code 2 when none is left.
  local a b c
  a=$(submit_held a --flags=waitable)
  b=$(submit_held b --flags=waitable)
  c=$(submit_held c)
  running a
  running b
  running c
  release b 0
  check 0 "$b" "" fq-job wait
  release c 0
  ended "$c"
  release a 3
  check 1 "$a" "fq-job: $a: task(s) exited with exit code 3" fq-job wait
  check 2 "" "fq-job: no waitable job is left (submit with --flags=waitable)" fq-job wait
}

@test "wait sleeps until a waitable job ends" {
  # Ends of other jobs do not wake it for good.
  local other id pid code=0
  other=$(submit_held other)
  id=$(submit_held job --flags=waitable)
  running other
  running job
  fq-job wait >out 2>&1 &
  pid=$!
  waiting "$pid"
  release other
  ended "$other"
  expect "" "$(cat out)"
  release job
  wait "$pid" || code=$?
  expect "0 $id" "$code $(cat out)"
}

@test "two that wait never get the same job" {
  # As many ids come out as there are jobs, whoever gets them.
  local ids pids=() i
  ids=$(fq-submit --flags=waitable --cc=1-6 true | sort)
  for i in 1 2 3; do
    sh -c 'while fq-job wait; do :; done' >"got.$i" 2>/dev/null &
    pids+=($!)
  done
  wait "${pids[@]}" || true
  expect "$ids" "$(cat got.* | sort)"
}

@test "--all waits for all of them" {
  # Those that failed are named, and the code is 1; it also waits for the pending ones.
  local good bad held pid code=0
  good=$(fq-submit --flags=waitable true)
  bad=$(fq-submit --flags=waitable false)
  held=$(fq-submit --flags=waitable --urgency=hold true)
  fq-job wait --all 2>err &
  pid=$!
  ended "$good" "$bad" || true
  fq-job urgency "$held" default
  wait "$pid" || code=$?
  expect "1 fq-job: $bad: task(s) exited with exit code 1" "$code $(cat err)"
  check 0 "" "" fq-job wait -a
}

@test "--all -v names those that completed, too" {
  # Code 0 when all have.
  local id
  id=$(fq-submit --flags=waitable true)
  check 0 "" "fq-job: $id: completed" fq-job wait --all -v
}

@test "a job that was waited for by its id is not given again" {
  # Its own wait may be repeated.
  local id
  id=$(fq-submit --flags=waitable sh -c 'exit 4')
  check 4 "" "fq-job: $id: task(s) exited with exit code 4" fq-job wait "$id"
  check 4 "" "fq-job: $id: task(s) exited with exit code 4" fq-job wait "$id"
  check 2 "" "fq-job: no waitable job is left (submit with --flags=waitable)" fq-job wait
}

@test "a canceled waitable job counts as failed" {
  # Also one that never ran.
  local id
  id=$(fq-submit --flags=waitable --urgency=hold true)
  fq-cancel -m "not now" "$id"
  check 1 "$id" "fq-job: $id: canceled: not now" fq-job wait
}

@test "the time-out is for all of the wait" {
  # 124, and the jobs that had ended are not lost.
  local held
  held=$(fq-submit --flags=waitable --urgency=hold true)
  refuses 124 "fq-job: waitable jobs have not ended within 0.1 s" fq-job wait -t 0.1s
  refuses 124 "fq-job: waitable jobs have not ended within 0.1 s" fq-job wait --all --timeout=0.1s
  fq-cancel "$held"
  check 1 "$held" "fq-job: $held: canceled" fq-job wait -t 0
}

@test "an id or --all, not both" {
  # A usage error.
  refuses 2 "fq-job: give either job ids or --all, not both" fq-job wait --all 1
  refuses 1 "fq-job: job 1 does not exist" fq-job wait 1 2
}
