#!/usr/bin/env bats
# fq-job attach: a job's output as it comes.

load helper

setup() { make_store 2:2; }

@test "attach to a job that ended shows its output and returns its code" {
  # stdout and stderr apart.
  local id
  id=$(fq-submit sh -c 'echo out; echo err >&2; exit 3')
  ended "$id"
  check 3 "out" "err
fq-job: task(s) exited with exit code 3" fq-job attach "$id"
}

@test "attach shows what was written before, and what comes" {
  # The first line is there at once, the second after the release.
  mkfifo job.up job.go
  local id pid first
  id=$(fq-submit sh -c 'echo early; echo >job.up; read code <job.go; echo late; exit "$code"')
  running job
  mkfifo pipe
  fq-job attach "$id" >pipe 2>err &
  pid=$!
  exec 5<pipe
  read -r -t 30 -u 5 first
  expect early "$first"
  release job 4
  expect late "$(cat <&5)"
  exec 5<&-
  local code=0
  wait "$pid" || code=$?
  expect "4 fq-job: task(s) exited with exit code 4" "$code $(cat err)"
}

@test "attach to a pending job waits for its start" {
  # Output comes once it runs.
  local id
  fq-queue stop --quiet
  id=$(fq-submit -N2 -n2 sh -c 'echo task $FLUX_TASK_RANK')
  fq-job attach "$id" >out 2>err &
  local pid=$!
  fq-queue start --quiet
  wait "$pid"
  expect "task 0 task 1" "$(sort out | xargs)"
}

@test "attach to a job that never ran" {
  # Code 1, the reason alone.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-cancel -m "no need" "$id"
  refuses 1 "fq-job: canceled: no need" fq-job attach "$id"
}

@test "-l labels each line with its task" {
  # Also of a job that ended; no label stands inside a line, though a task's last line has no end.
  local id
  id=$(fq-submit -n2 sh -c 'echo a; printf b')
  ended "$id"
  run fq-job attach -l "$id"
  expect "0: a|0: b|1: a|1: b" "$(sort <<<"$output" | paste -sd'|')"
}

@test "output that went to files is not shown" {
  # The files have it.
  local id
  id=$(fq-submit --output=o sh -c 'echo elsewhere')
  ended "$id"
  check 0 "" "" fq-job attach "$id"
  expect elsewhere "$(cat o)"
}

@test "many attach to one job" {
  # Each sees all of the output.
  local id pids=() i
  mkfifo j.up j.go
  id=$(fq-submit sh -c 'seq 1000; echo >j.up; read code <j.go; seq 1001 2000')
  running j
  for i in 1 2 3 4; do
    fq-job attach "$id" >"out.$i" &
    pids+=($!)
  done
  release j
  for i in "${pids[@]}"; do wait "$i"; done
  for i in 1 2 3 4; do expect "$(seq 2000 | cksum)" "$(cksum <"out.$i")"; done
}

@test "an interrupted attach leaves the job alone" {
  # SIGINT ends the attach, unlike fq run's.
  local id code=0
  id=$(submit_held job)
  running job
  "$PYTHON" -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("fq-job", ["fq-job", "attach", sys.argv[1]])' "$id" &
  local pid=$!
  timeout 20 sh -c 'until ls "$0"/*."$1" >/dev/null 2>&1; do :; done' "$STORE/wake" "$pid"
  kill -INT "$pid"
  wait "$pid" || code=$?
  expect 130 "$code"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job
}

@test "output to a full disk ends the attach, not the job" {
  # One line, code 1.
  local id
  id=$(fq-submit sh -c 'echo text')
  ended "$id"
  check 1 "" "fq-job: standard output: No space left on device" sh -c "fq-job attach $id >/dev/full"
  check 0 "text" "" fq-job attach "$id"
}

@test "wrong operands" {
  # An unknown id, none, two.
  refuses 1 "fq-job: job ƒ38 does not exist" fq-job attach 123
  refuses 2 "fq-job: ID is missing (usage: fq-job attach [OPTION...] ID)" fq-job attach
  refuses 2 "fq-job: unexpected operand '2'" fq-job attach 1 2
}
