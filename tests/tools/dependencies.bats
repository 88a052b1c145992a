#!/usr/bin/env bats
# Dependencies between jobs (RFC 26) and begin times.

load helper

setup() { make_store 1:8; }

status_of() { fq-jobs -n -o '{status_abbrev}' "$@" | xargs; }

@test "afterok starts on success, ends on failure" {
  # The dependant of a failed job can never run: exception of type dependency, code 1.
  local good bad
  good=$(submit_held good)
  bad=$(submit_held bad)
  running good
  running bad
  local ok never
  ok=$(fq-submit --dependency=afterok:"$good" true)
  never=$(fq-submit --dependency=afterok:"$bad" true)
  expect "D D" "$(status_of "$ok" "$never")"
  release good 0
  release bad 1
  check 0 "" "" fq-job wait "$ok"
  check 1 "" "fq-job: $never: dependency: dependency after-success=$bad can never be satisfied" fq-job wait "$never"
  check 0 "F Exception: type=dependency note=dependency after-success=$bad can never be satisfied" "" \
    fq-jobs -n -o '{status_abbrev} {inactive_reason}' "$never"
}

@test "afternotok starts on failure, ends on success" {
  # The other way round.
  local good bad
  good=$(submit_held good)
  bad=$(submit_held bad)
  running good
  running bad
  local never runs
  never=$(fq-submit --dependency=afternotok:"$good" true)
  runs=$(fq-submit --dependency=afternotok:"$bad" true)
  release good 0
  release bad 7
  check 1 "" "fq-job: $never: dependency: dependency after-failure=$good can never be satisfied" fq-job wait "$never"
  check 0 "" "" fq-job wait "$runs"
}

# bats test_tags=own-store
@test "afterexcept starts when an exception has ended a job" {
  # A cancellation, a time limit, a program that is not there; not an end with or without success, nor one before it ran.
  local canceled late ended_well failed held id
  canceled=$(submit_held canceled)
  late=$(fq-submit -t 0.1s sleep inf)
  running canceled
  id=$(fq-submit --dependency=afterexcept:"$canceled" true)
  fq-job why "$id" | grep -qxF "$id: no exception has ended job $canceled"
  expect '"after-except='"$canceled"'"' "$(fq-job eventlog "$id" | grep -o '"after-except.*"')"
  fq-cancel "$canceled"
  check 0 "" "" fq-job wait "$id"
  ended "$late"
  check 0 "" "" fq-job wait "$(fq-submit --dependency=afterexcept:"$late" true)"
  ended_well=$(submit_held ended_well)
  failed=$(submit_held failed)
  held=$(fq-submit --urgency=hold true)
  running ended_well
  running failed
  local after_well after_failed after_held
  after_well=$(fq-submit --dependency=afterexcept:"$ended_well" true)
  after_failed=$(fq-submit --dependency=after-except:"$failed" true)
  after_held=$(fq-submit --dependency=afterexcept:"$held" true)
  release ended_well 0
  release failed 1
  fq-cancel "$held"
  check 1 "" "fq-job: $after_well: dependency: dependency after-except=$ended_well can never be satisfied" fq-job wait "$after_well"
  check 1 "" "fq-job: $after_failed: dependency: dependency after-except=$failed can never be satisfied" fq-job wait "$after_failed"
  check 1 "" "fq-job: $after_held: dependency: dependency after-except=$held can never be satisfied" fq-job wait "$after_held"
  refuses 1 "fq-submit: dependency 'afterexcept:$failed' can never be satisfied: job $failed ended as FAILED" \
    fq-submit --dependency=afterexcept:"$failed" true
  # What is kept of purged jobs tells the same.
  fq-job purge -f --num-limit=0 >purged
  check 0 "" "" fq-job wait "$(fq-submit --dependency=afterexcept:"$late" true)"
  refuses 1 "fq-submit: dependency 'afterexcept:$failed' can never be satisfied: job $failed ended as FAILED" \
    fq-submit --dependency=afterexcept:"$failed" true
}

@test "afterany starts on any end" {
  # Success, failure and cancel.
  local a b c
  a=$(submit_held a)
  b=$(submit_held b)
  c=$(fq-submit --urgency=hold true)
  running a
  running b
  local id
  id=$(fq-submit --dependency=afterany:"$a" --dependency=afterany:"$b" --dependency=afterany:"$c" true)
  release a 0
  ended "$a"
  expect "D" "$(status_of "$id")"
  release b 1
  ended "$b"
  expect "D" "$(status_of "$id")"
  fq-cancel "$c"
  check 0 "" "" fq-job wait "$id"
}

@test "after starts when the other has started" {
  # A held job holds its dependant; its start releases it.
  local held id
  submit_held long >long.id
  running long
  held=$(fq-submit --begin-time=+1h true)
  id=$(fq-submit --dependency=after:"$held" true)
  expect "D" "$(status_of "$id")"
  check 0 "" "" fq-job wait "$(fq-submit --dependency=after:"$(cat long.id)" true)"
  release long
  fq-cancel "$held"
  check 1 "" "fq-job: $id: dependency: dependency after-start=$held can never be satisfied" fq-job wait "$id"
}

@test "dependencies on jobs that have ended are judged at once" {
  # Satisfied ones let the job run; impossible ones are refused at submission, and nothing is stored.
  local ok bad
  ok=$(fq-submit true)
  bad=$(fq-submit false)
  ended "$ok" "$bad"
  check 0 "" "" fq-job wait "$(fq-submit --dependency=afterok:"$ok" --dependency=afternotok:"$bad" --dependency=afterany:"$bad" --dependency=after:"$ok" true)"
  refuses 1 "fq-submit: dependency 'afterok:$bad' can never be satisfied: job $bad ended as FAILED" \
    fq-submit --dependency=afterok:"$bad" true
  refuses 1 "fq-submit: dependency 'afternotok:$ok' can never be satisfied: job $ok ended as COMPLETED" \
    fq-submit --dependency=afternotok:"$ok" true
  expect 3 "$(fq-jobs -a -n | wc -l)"
}

@test "a chain fails as a whole" {
  # Each dependant's exception ends the next one.
  local a b c
  a=$(submit_held a)
  running a
  b=$(fq-submit --dependency=afterok:"$a" true)
  c=$(fq-submit --dependency=afterok:"$b" true)
  release a 1
  ended "$a" "$b" "$c"
  expect "F F F" "$(status_of "$a" "$b" "$c")"
}

@test "a long chain runs in order" {
  # Twenty jobs, each after the one before.
  local id="" n
  for n in $(seq 20); do
    # shellcheck disable=SC2086
    id=$(fq-submit ${id:+--dependency=afterok:$id} sh -c "echo $n >>order")
  done
  check 0 "" "" fq-job wait "$id"
  expect "$(seq 20)" "$(cat order)"
}

@test "one job waits for many, many for one" {
  # Fan-in and fan-out.
  local first ids args id last
  first=$(submit_held first)
  running first
  ids=$(for id in 1 2 3 4 5 6; do fq-submit --dependency=afterok:"$first" sh -c 'echo x >>count'; done)
  args=$(for id in $ids; do echo --dependency=afterok:"$id"; done)
  # shellcheck disable=SC2086
  last=$(fq-submit $args sh -c 'wc -l <count >seen')
  release first
  check 0 "" "" fq-job wait "$last"
  expect 6 "$(xargs <seen)"
}

@test "every form of id is accepted" {
  # Decimal, dothex, hex, f58 in both spellings and the KVS key.
  local first form
  first=$(submit_held first)
  running first
  for form in dec hex dothex f58 f58plain kvs; do
    run fq-submit --dependency=afterany:"$(fq-job id --to=$form "$first")" true
    expect "0 $form" "$status $form"
    check 0 "after-finish=$first" "" fq-jobs -n -o '{dependencies}' "$output"
  done
  release first
}

@test "the dependency of a job on itself is impossible" {
  # Its id does not exist yet when it is checked; nor does any later one.
  local id
  id=$(fq-job id --to=dec "$(fq-submit --urgency=hold true)")
  id=$((id + (1 << 40)))
  refuses 1 "fq-submit: dependency 'afterok:$id': job $id does not exist" fq-submit --dependency=afterok:$id true
}

@test "singletons of one name run one after the other" {
  # In the order of submission, after what else of that name is active; other names do not matter.
  local plain a b other
  plain=$(submit_held x)
  running x
  a=$(fq-submit --job-name=x --dependency=singleton sh -c 'echo a >>order')
  b=$(fq-submit --job-name=x --dependency=singleton sh -c 'echo b >>order')
  other=$(fq-submit --job-name=y --dependency=singleton true)
  check 0 "" "" fq-job wait "$other"
  expect "R D D" "$(status_of "$plain" "$a" "$b")"
  check 0 "$a: another job of that name is active" "" fq-job why "$a"
  expect "singleton" "$(fq-jobs -n -o '{dependencies}' "$b")"
  release x 1
  check 0 "" "" fq-job status "$a" "$b"
  expect "a b" "$(xargs <order)"
  MASK=$EVENT_MASK check 0 'T submit userid='"$(id -u)"' urgency=16 flags=0 version=1
T dependency-add description="singleton"
T validate
T dependency-remove description="singleton"
T depend' "" sh -c "fq-job eventlog $a | head -5"
}

@test "copies may be singletons" {
  # They run one at a time: nobody sees another one's mark.
  local ids
  ids=$(fq-submit --cc=1-5 --job-name=one --dependency=singleton sh -c 'mkdir mark && rmdir mark && echo {cc} >>order')
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
  expect "1 2 3 4 5" "$(xargs <order)"
}

@test "a singleton needs a name" {
  # That of the program is not meant; a value is a usage error; nothing is stored.
  refuses 1 "fq-submit: dependency 'singleton' needs a job that was given a name (--job-name=NAME)" \
    fq-submit --dependency=singleton true
  refuses 2 "fq-submit: --dependency: dependency 'singleton:x': 'singleton' takes no value, got 'x'" \
    fq-submit --job-name=x --dependency=singleton:x true
  check 0 "" "" fq-jobs -a -n
}

@test "begin-time starts a job when its time has come, with nobody there" {
  # The waker starts it; not before its time.
  local id start
  start=$(date +%s.%N)
  id=$(fq-submit --begin-time=+700ms --output=out date +%s.%N)
  check 0 "D" "" fq-jobs -n -o '{status_abbrev}' "$id"
  ended "$id"
  "$PYTHON" -c '
import sys
start, ran = map(float, sys.argv[1:])
assert ran - start >= 0.7, (start, ran)' "$start" "$(cat out)"
}

@test "begin-time in its forms" {
  # Seconds since the epoch, +FSD, a date, a time of day; shown as Flux does.
  begins() { fq-submit --begin-time="$1" true | xargs fq-jobs -n -o '{dependencies}'; }
  expect "begin@2038-Jan19-03:14:07" "$(begins 2147483647)"
  expect "begin@2038-Jan02-00:00" "$(begins 2038-01-02)"
  expect "begin@2038-Jan02-12:34" "$(begins 2038-01-02T12:34)"
  expect "begin@2038-Jan02-12:34:56" "$(begins 2038-01-02T12:34:56)"
  [[ $(begins +1d) == begin@* ]]
  expect "begin@2037-Dec24-12:00" "$(begins 'Dec 24 2037 noon')"
  expect "begin@2037-Dec24-15:30" "$(begins '3:30 pm 24 december 2037')"
  expect "$(begins "$(date -d 'tomorrow 15:00' +%s)")" "$(begins 'tomorrow 3pm')"
  expect "$(begins "$(date -d 'tomorrow 00:00' +%s)")" "$(begins midnight)"
  [[ $(begins 'in 2 hours') == begin@* ]]
  expect "begin@2038-Jan02-11:34" "$(begins 2038-01-02T12:34+01:00)"
  expect "begin@2038-Dec24-18:00" "$(begins '12/24/2038 6pm')"
  refuses 2 "fq-submit: --begin-time: begin time '5': seconds since the epoch are more (did you mean '+5m'?)" fq-submit --begin-time=5 true
}

@test "a begin time in the past does not hold" {
  # The job runs at once.
  check 0 "" "" fq-job wait "$(fq-submit --begin-time=1000000000 true)"
}

@test "begin-time and a dependency hold together" {
  # Both must be over.
  local first id
  first=$(submit_held first)
  running first
  id=$(fq-submit --begin-time=+1h --dependency=afterok:"$first" true)
  release first
  ended "$first"
  [[ $(fq-jobs -n -o '{dependencies}' "$id") == begin@* ]]
  fq-cancel "$id"
  check 1 "" "fq-job: $id: canceled" fq-job wait "$id"
}

@test "many jobs with one begin time all run" {
  # Twenty timers that fire together.
  local ids
  ids=$(fq-submit --cc=1-20 --begin-time=+500ms true)
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
}
