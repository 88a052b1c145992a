#!/usr/bin/env bats
# fq-job last: the latest jobs.

load helper

setup() { make_store 1:1; }

@test "last prints the latest ids, the latest first" {
  # One without a number, as many as there are at most.
  local ids
  ids=($(fq-submit --urgency=hold --cc=1-4 true))
  check 0 "${ids[3]}" "" fq-job last
  check 0 "${ids[3]}
${ids[2]}
${ids[1]}" "" fq-job last 3
  check 0 "4" "" sh -c 'fq-job last 99 | wc -l'
  check 0 "" "" fq-job last 0
}

@test "a slice of the jobs, as Flux and Python write it" {
  # From the latest on; negative numbers count from the first, a negative step begins with it.
  local ids
  ids=($(fq-submit --urgency=hold --cc=1-4 true))
  check 0 "${ids[3]} ${ids[2]}" "" sh -c "fq-job last '[:2]' | xargs"
  check 0 "${ids[0]} ${ids[1]} ${ids[2]} ${ids[3]}" "" sh -c "fq-job last '[::-1]' | xargs"
  check 0 "${ids[0]}" "" fq-job last '[-1:]'
  check 0 "${ids[2]} ${ids[0]}" "" sh -c "fq-job last '[1::2]' | xargs"
  check 0 "" "" fq-job last '[9:]'
  refuses 2 "fq-job: '[2]' is not a slice: expected [START:STOP:STEP], each optional" fq-job last '[2]'
  refuses 2 "fq-job: '[::0]': the step of a slice cannot be 0" fq-job last '[::0]'
}

@test "last counts inactive jobs too" {
  # A job that ended is still the latest.
  local id
  id=$(fq-submit true)
  ended "$id"
  check 0 "$id" "" fq-job last
}

@test "last of no jobs" {
  # Nothing is printed; Flux says nothing either.
  check 0 "" "" fq-job last
}

@test "wrong numbers" {
  # A usage error.
  refuses 2 "fq-job: expected a number of jobs or a slice, got 'x'" fq-job last x
  refuses 2 "fq-job: expected a number of jobs or a slice, got '-1'" fq-job last -- -1
  refuses 2 "fq-job: '[' is not a slice: expected [START:STOP:STEP], each optional" fq-job last '['
  refuses 2 "fq-job: unexpected operand '2'" fq-job last 1 2
}

@test "a command of fq-job that does not exist" {
  # The commands are listed; a near one is suggested.
  refuses 2 "fq-job: there is no command 'lst' (did you mean 'last'?)" fq-job lst
  refuses 2 "fq-job: there is no command 'foo' (one of attach, data, eventlog, hostpids, id, info, kill, killall, last, memo, purge, raise, raiseall, status, submit, taskmap, timeleft, uri, urgency, wait, wait-event, why)" fq-job foo
  refuses 2 "fq-job: which command? (one of attach, data, eventlog, hostpids, id, info, kill, killall, last, memo, purge, raise, raiseall, status, submit, taskmap, timeleft, uri, urgency, wait, wait-event, why)" fq-job
}
