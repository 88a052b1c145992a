#!/usr/bin/env bats
# fq-job raise, raiseall: exceptions (RFC 21).

load helper

setup() { make_store 1:4; }

@test "raise cancels by default" {
  # As fq-cancel, with the message from the operands or from -m.
  local a b
  a=$(fq-submit --urgency=hold true)
  b=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-job raise "$a" no longer wanted
  check 0 "" "" fq-job raise -m "no longer wanted" "$b"
  check 0 "CA no longer wanted
CA no longer wanted" "" fq-jobs -n -o '{status_abbrev} {exception.note}' "$a" "$b"
}

@test "an exception of severity 0 and another type fails the job" {
  # A running one is ended, and says what became of it.
  local id
  id=$(submit_held job)
  running job
  check 0 "" "" fq-job raise --type=oom "$id" -- out of memory
  check 143 "" "fq-job: $id: oom: out of memory" fq-job wait "$id"
  check 0 "F 0 oom" "" fq-jobs -n -o '{status_abbrev} {exception.severity} {exception.type}' "$id"
  MASK=$EVENT_MASK check 0 "T exception type=\"oom\" severity=0 note=\"out of memory\" userid=$(id -u)" "" \
    sh -c "fq-job eventlog $id | grep exception"
}

@test "a milder exception changes nothing but the log" {
  # The job goes on and completes; what was raised is listed.
  local id
  id=$(submit_held job)
  running job
  check 0 "" "" fq-job raise -s 3 -t note "$id" slow disk
  check 0 "R 3 note slow disk" "" \
    fq-jobs -n -o '{status_abbrev} {exception.severity} {exception.type} {exception.note}' "$id"
  release job
  ended "$id"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "several jobs, some of them ended" {
  # The refused ones are named, the others get the exception.
  local done a b
  done=$(fq-submit true)
  ended "$done"
  a=$(fq-submit --urgency=hold true)
  b=$(fq-submit --urgency=hold true)
  check 1 "" "fq-job: job $done is inactive
fq-job: job 123 does not exist" fq-job raise -s7 "$a" "$done" 123 "$b"
  check 0 "7 7" "" sh -c "fq-jobs -n -o '{exception.severity}' $a $b | xargs"
}

@test "a message that begins like a job id stands after --" {
  # Before it every id is a job.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-job raise -s1 "$id" -- 12 apples
  check 0 "12 apples" "" fq-jobs -n -o '{exception.note}' "$id"
}

@test "raiseall raises on all active jobs" {
  # Severity 7 unless told otherwise; without -f it only counts.
  local run held
  run=$(submit_held run)
  running run
  held=$(fq-submit --urgency=hold true)
  check 0 "would raise note on 2 jobs (-f does)" "" fq-job raiseall note
  check 0 "raised note on 2 jobs" "" fq-job raiseall -f note hello world
  check 0 "7 hello world
7 hello world" "" fq-jobs -n -o '{exception.severity} {exception.note}' "$held" "$run"
  check 0 "raised done on 1 job" "" fq-job raiseall -f -s0 -S pending done
  check 0 "F" "" fq-jobs -n -o '{status_abbrev}' "$held"
  check 0 "raised x on 0 jobs" "" fq-job raiseall --force -u 65534 x
  release run
}

@test "wrong types, severities and messages" {
  # Nothing is raised.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 2 "fq-job: --severity: expected 0, which ends the job, to 7, got '8'" fq-job raise -s 8 "$id"
  refuses 2 "fq-job: --type: 'a b' is not a type of exception: expected one word" fq-job raise -t "a b" "$id"
  refuses 2 "fq-job: --type: '' is not a type of exception: expected one word" fq-job raise -t "" "$id"
  refuses 2 "fq-job: give the message either with -m or after the ids, not both" fq-job raise -m a "$id" b
  refuses 2 "fq-job: the message '\\xff' is not valid UTF-8" fq-job raise -m $'\xff' "$id"
  refuses 2 "fq-job: invalid job id 'oops': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" fq-job raise oops
  refuses 2 "fq-job: ID... is missing (usage: fq-job raise [OPTION...] ID... [[--] MESSAGE...])" fq-job raise
  refuses 2 "fq-job: 'a=b' is not a type of exception: expected one word" fq-job raiseall -f a=b
  refuses 2 "fq-job: no exception can be raised on inactive jobs" fq-job raiseall -f -S inactive x
  refuses 2 "fq-job: TYPE is missing (usage: fq-job raiseall [OPTION...] TYPE [MESSAGE...])" fq-job raiseall
  check 0 "S -" "" fq-jobs -n -o '{status_abbrev} {exception.type:h}' "$id"
}
