#!/usr/bin/env bats
# fq-job status: the exit codes of jobs.

load helper

setup() { make_store 1:4; }

@test "status waits for all and returns the largest exit code" {
  # Silent; -v has one line for each that did not complete, in the order of the arguments.
  local ids
  ids=($(fq-submit true; fq-submit sh -c 'exit 3'; fq-submit sh -c 'exit 2'))
  check 3 "" "" fq-job status "${ids[@]}"
  check 3 "" "fq-job: ${ids[1]}: task(s) exited with exit code 3
fq-job: ${ids[2]}: task(s) exited with exit code 2" fq-job status -v "${ids[@]}"
  check 0 "" "" fq-job status -v "${ids[0]}"
}

@test "status of jobs that were canceled, timed out or did not start" {
  # Codes 1, 142 and 127; -v gives the reasons.
  local canceled late nosuch
  canceled=$(fq-submit --urgency=hold true)
  fq-cancel "$canceled"
  late=$(fq-submit -t 100ms tail -f /dev/null)
  nosuch=$(fq-submit nosuchcommand)
  check 1 "" "fq-job: $canceled: canceled" fq-job status -v "$canceled"
  check 142 "" "fq-job: $late: timelimit: resource allocation expired" fq-job status -v "$late"
  check 127 "" "fq-job: $nosuch: exec: task 0 on node0: cannot run 'nosuchcommand': No such file or directory" \
    fq-job status -v "$nosuch"
}

@test "-e sets the exit code of jobs that an exception ended" {
  # Instead of 1 where the job never ran, else at least that.
  local canceled late failed
  canceled=$(fq-submit --urgency=hold true)
  fq-cancel "$canceled"
  late=$(fq-submit -t 100ms tail -f /dev/null)
  failed=$(fq-submit sh -c 'exit 3')
  check 42 "" "" fq-job status -e 42 "$canceled"
  check 0 "" "" fq-job status --exception-exit-code=0 "$canceled"
  check 142 "" "" fq-job status -e 42 "$late"
  check 200 "" "" fq-job status -e 200 "$late"
  check 3 "" "" fq-job status -e 42 "$failed"
  refuses 2 "fq-job: --exception-exit-code: expected an exit code from 0 to 255, got '256'" fq-job status -e 256 1
}

@test "-j prints each job as JSON" {
  # The keys of fq-jobs --json, in the order of the arguments.
  local a b
  a=$(fq-submit true)
  b=$(fq-submit sh -c 'exit 3')
  check 3 "$a COMPLETED 0
$b FAILED 3" "" sh -c "fq-job status -j $a $b | $PYTHON -c '
import json, sys
for line in sys.stdin:
    job = json.loads(line)
    print(job[\"jobid\"], job[\"result\"], job[\"returncode\"])
'; fq-job status $a $b"
}

@test "of several exceptions the most severe is told" {
  # Of equal ones the first, whatever came later.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job raise -s 5 -t note "$id" mild
  fq-job raise -s 2 -t disk "$id" slow
  fq-job raise -s 2 -t fan "$id" loud
  fq-job raise -s 7 -t note "$id" last
  check 0 "2 disk slow" "" fq-jobs -n -o '{exception.severity} {exception.type} {exception.note}' "$id"
  fq-job raise -t oom "$id" memory
  check 1 '{"occurred":true,"severity":0,"type":"oom","note":"memory"}' "" \
    sh -c "fq-job status --json $id | grep -o '{\"occurred[^}]*}'; fq-job status $id"
}

@test "status waits until a job ends" {
  # It returns the code that the job gets later.
  local id code=0
  id=$(submit_held job)
  running job
  fq-job status "$id" &
  local pid=$!
  release job 8
  wait "$pid" || code=$?
  expect 8 "$code"
}

@test "wrong operands" {
  # An unknown id is told before anything is waited for.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-job: job 123 does not exist" timeout "$LIMIT" fq-job status "$id" 123
  refuses 2 "fq-job: ID... is missing (usage: fq-job status [OPTION...] ID...)" fq-job status
}
