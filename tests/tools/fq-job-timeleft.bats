#!/usr/bin/env bats
# fq-job timeleft: the seconds until a job's time limit.

load helper

setup() { make_store 1:2; }

@test "the time left of a running job" {
  # Whole seconds, or a duration; the largest number without a limit.
  local id free
  id=$(submit_held job -t 10m)
  free=$(submit_held free)
  running job
  running free
  [[ $(fq-job timeleft "$id") =~ ^5[0-9][0-9]$ ]]
  [[ $(fq-job timeleft -H "$id") =~ ^(10|9\.[0-9]+)m$ ]]
  check 0 "4294967295" "" fq-job timeleft "$free"
  check 0 "inf" "" fq-job timeleft --human "$free"
  release job
  release free
}

@test "within a job it is the job's own" {
  # FLUX_JOB_ID names it.
  local id left
  id=$(fq-submit -t 1h sh -c 'fq-job timeleft >left')
  ended "$id"
  left=$(cat left)
  [[ $left =~ ^35[0-9][0-9]$ ]]
}

@test "jobs that do not run" {
  # Of one that ended 0 is left; one that waits has no end yet.
  local done held
  done=$(fq-submit -t 10m true)
  ended "$done"
  held=$(fq-submit --urgency=hold -t 10m true)
  check 0 "0" "" fq-job timeleft "$done"
  check 0 "0s" "" fq-job timeleft -H "$done"
  refuses 1 "fq-job: job $held has not started" fq-job timeleft "$held"
  refuses 1 "fq-job: job 123 does not exist" fq-job timeleft 123
}

@test "outside of a job an id is needed" {
  # A usage error.
  refuses 2 "fq-job: which job? give its id, or ask from within a job" fq-job timeleft
  refuses 2 "fq-job: unexpected operand '2'" fq-job timeleft 1 2
}
