#!/usr/bin/env bats
# fq-job wait-event: until something happens to a job; fq-job eventlog --follow.

load helper

setup() { make_store 2:2; }

@test "an event that was is printed at once" {
  # As eventlog prints it; of an inactive job too.
  local id
  id=$(fq-submit -n2 sh -c 'exit 3')
  ended "$id"
  MASK=$EVENT_MASK check 0 "T finish status=768" "" fq-job wait-event "$id" finish
  check 0 "$(fq-job eventlog "$id" | tail -n 1)" "" fq-job wait-event "$id" clean
}

@test "an event that comes ends the wait" {
  # Not before: the job is released once the command waits.
  local id code=0
  id=$(submit_held job)
  running job
  fq-job wait-event "$id" clean >out &
  local pid=$!
  waiting "$pid"
  expect "" "$(cat out)"
  release job 0
  wait "$pid" || code=$?
  expect "0 $(fq-job eventlog "$id" | tail -n 1)" "$code $(cat out)"
}

@test "several wait for events of a job that is pending" {
  # Each is woken by its own.
  local run id pids=() pid name
  run=$(submit_held run -N2)
  running run
  id=$(submit_held job -N1)
  for name in alloc start finish clean; do
    fq-job wait-event "$id" "$name" >"$name" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do waiting "$pid"; done
  release run
  wait "${pids[0]}" "${pids[1]}"
  running job
  expect "0" "$(cat finish clean | wc -l)"
  release job
  wait "${pids[2]}" "${pids[3]}"
  expect "alloc start finish clean" "$(cat alloc start finish clean | cut -d' ' -f2 | xargs)"
}

@test "-q prints nothing, -v all that came before" {
  # Both at once: what came before, without the event itself.
  local id
  id=$(fq-submit true)
  ended "$id"
  check 0 "" "" fq-job wait-event -q "$id" start
  check 0 "submit validate depend" "" sh -c "fq-job wait-event -v $id depend | cut -d' ' -f2 | xargs"
  check 0 "submit validate" "" sh -c "fq-job wait-event -qv $id depend | cut -d' ' -f2 | xargs"
}

@test "-m matches the context" {
  # Numbers as JSON, strings with or without quotes; the first event that fits.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job raise -s5 -t note -m one "$id"
  fq-job raise -s3 -t note -m two "$id"
  fq-job raise -s3 -t other -m three "$id"
  note() { fq-job wait-event "$@" "$id" exception | sed -E 's/.*note="([a-z]+)".*/\1/'; }
  expect "one two two three" "$(note) $(note -m severity=3) $(note --match-context='note="two"') $(note -m type=other)"
  fq-cancel "$id"
  refuses 1 "fq-job: job $id is inactive and had no event 'exception' with severity=4" fq-job wait-event -m severity=4 "$id" exception
  refuses 2 "fq-job: --match-context: expected KEY=VALUE, got 'severity'" fq-job wait-event -m severity "$id" exception
  refuses 2 "fq-job: --match-context: expected KEY=VALUE, got '=3'" fq-job wait-event -m =3 "$id" exception
}

@test "-c counts" {
  # The second of two; a third never comes.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job urgency "$id" 0
  fq-job urgency "$id" 0
  fq-cancel "$id"
  check 0 "$(fq-job eventlog "$id" | grep ' urgency ' | tail -n 1)" "" fq-job wait-event -c 2 "$id" urgency
  refuses 1 "fq-job: job $id is inactive and had 2 of 3 events 'urgency'" fq-job wait-event --count=3 "$id" urgency
  refuses 2 "fq-job: --count: expected 1 or more, got '0'" fq-job wait-event -c 0 "$id" urgency
}

@test "an event that never comes" {
  # When the job is inactive nothing more can come; a name that is nearly one is suggested.
  local id pid code=0
  id=$(submit_held job)
  running job
  fq-job wait-event "$id" finsh 2>err &
  pid=$!
  waiting "$pid"
  release job
  wait "$pid" || code=$?
  expect "1 fq-job: job $id is inactive and had no event 'finsh' (did you mean 'finish'?)" "$code $(cat err)"
  refuses 1 "fq-job: job $id is inactive and had no event 'debug.hello'" fq-job wait-event "$id" debug.hello
}

@test "the time-out gives 124" {
  # Also when it is over at once; what had come is said.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 124 "fq-job: job $id has had no event 'start' within 0.1 s" fq-job wait-event -t 0.1s "$id" start
  refuses 124 "fq-job: job $id has had no event 'start' within 0 s" fq-job wait-event --timeout=0 "$id" start
  check 0 "$(fq-job eventlog "$id" | head -n 1)" "" fq-job wait-event -t 0 "$id" submit
}

@test "-p waits for an event of the guest" {
  # Its log of execution, by its short name and its key, live and after the end.
  local id
  id=$(submit_held job)
  running job
  MASK=$EVENT_MASK check 0 'T shell.start taskmap={"map":[[0,1,1,1]],"version":1}' "" fq-job wait-event -p exec "$id" shell.start
  fq-job wait-event -p guest.exec.eventlog "$id" done >out &
  local pid=$!
  waiting "$pid"
  release job 4
  wait "$pid"
  expect "done" "$(cut -d' ' -f2 out)"
  ended "$id"
  MASK=$EVENT_MASK check 0 "T complete attempt=1 status=1024" "" fq-job wait-event -p exec "$id" complete
  check 0 "2" "" sh -c "fq-job wait-event -v -c 2 -m eof=true -p output $id data | grep -c eof"
}

@test "-W waits for a log that is not there yet" {
  # Without it a pending job's guest log is refused.
  local id pid
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-job: job $id has no guest.output" fq-job wait-event -p output "$id" data
  fq-job wait-event -W -p output "$id" header >out &
  pid=$!
  waiting "$pid"
  fq-job urgency "$id" default
  wait "$pid"
  expect "header" "$(cut -d' ' -f2 out)"
  id=$(fq-submit --urgency=hold true)
  fq-cancel "$id"
  refuses 1 "fq-job: job $id has no guest.output" fq-job wait-event --waitcreate -p output "$id" data
}

@test "formats are those of eventlog" {
  # Offsets count from the first event, printed or not.
  local id
  id=$(fq-submit true)
  ended "$id"
  check 0 "$(fq-job eventlog -T offset "$id" | tail -n 1)" "" fq-job wait-event -T offset "$id" clean
  check 0 "$(fq-job eventlog -f json "$id" | sed -n 4p)" "" fq-job wait-event -f json "$id" priority
  check 0 $'\e[32m0.000000\e[0m \e[33mvalidate\e[0m' "" fq-job wait-event --color=always -T offset "$id" validate
}

@test "--follow prints what comes until the job is inactive" {
  # The whole log in the end, as it would be printed then.
  local id pid
  id=$(submit_held job)
  running job
  fq-job eventlog -F "$id" >out &
  pid=$!
  waiting "$pid"
  fq-job raise -s7 -t note "$id"
  release job
  wait "$pid"
  expect "$(fq-job eventlog "$id")" "$(cat out)"
  check 0 "$(fq-job eventlog "$id")" "" fq-job eventlog --follow "$id"
}

@test "--follow of a guest's log begins before the job does" {
  # It shows the output as it comes, to its last event, also where it is kept beside the database.
  local id pid
  id=$(fq-submit --urgency=hold sh -c 'head -c 400000 /dev/zero | tr "\0" y; echo')
  fq-job eventlog -F -p output -f json "$id" >out &
  pid=$!
  waiting "$pid"
  fq-job urgency "$id" default
  wait "$pid"
  fq-job eventlog -p output -f json "$id" >later
  cmp out later
  [ "$(wc -c <out)" -gt 400000 ]
}

@test "wrong operands" {
  # Ids, logs, formats.
  refuses 1 "fq-job: job 123 does not exist" fq-job wait-event 123 clean
  refuses 1 "fq-job: job 123 does not exist" fq-job eventlog -F 123
  refuses 1 "fq-job: there is no event log 'exe' (did you mean 'exec'?)" fq-job wait-event -p exe 123 clean
  refuses 1 "fq-job: there is no event log 'guest.stdio' (one of eventlog, exec, output, input, prolog, epilog, housekeeping)" fq-job eventlog -p guest.stdio 123
  refuses 2 "fq-job: EVENT is missing (usage: fq-job wait-event [OPTION...] ID EVENT)" fq-job wait-event 123
  refuses 2 "fq-job: --format: expected text or json, got 'jso' (did you mean 'json'?)" fq-job wait-event -f jso 123 clean
}
