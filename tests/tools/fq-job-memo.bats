#!/usr/bin/env bats
# fq-job memo: notes that are kept with a job (RFC 21).

load helper

setup() { make_store 1:2; }

@test "R27.27 notes are the fields user.KEY of a listing" {
  # Text, numbers and objects; all of them as JSON.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-job memo "$id" stage=training epoch=3 loss=0.25 'tags=["a","b"]' ok=true
  check 0 'training 3 0.25 ["a","b"] True' "" \
    fq-jobs -n -o '{user.stage} {user.epoch} {user.loss} {user.tags} {user.ok}' "$id"
  check 0 '{"epoch":3,"loss":0.25,"ok":true,"stage":"training","tags":["a","b"]}' "" fq-jobs -n -o '{user}' "$id"
  check 0 '{"user":{"epoch":3,"loss":0.25,"ok":true,"stage":"training","tags":["a","b"]}}' "" \
    sh -c "fq-jobs --json $id | $PYTHON -c 'import json,sys; print(json.dumps(json.load(sys.stdin)[\"annotations\"], sort_keys=True, separators=(\",\", \":\")))'"
}

@test "R27.23 R27.24 R27.25 R27.26 a new note is merged with what is there" {
  # Keys are replaced, objects joined, null removes.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job memo "$id" a=1 b.c=2 b.d=3
  fq-job memo "$id" a=null b.c=4 'e={"f":5}'
  check 0 '{"b":{"c":4,"d":3},"e":{"f":5}}' "" fq-jobs -n -o '{user}' "$id"
  fq-job memo "$id" b=null e=null
  check 0 "-" "" fq-jobs -n -o '{user:h}' "$id"
}

@test "notes stand in the event log and stay with the job" {
  # One event for each call; seen while it runs and after its end, too.
  local id
  id=$(submit_held job)
  running job
  fq-job memo "$id" a=1 'b=two words'
  MASK=$EVENT_MASK check 0 'T memo a=1 b="two words"' "" sh -c "fq-job eventlog $id | tail -n 1"
  release job
  ended "$id"
  check 0 "1 two words" "" fq-jobs -n -o '{user.a} {user.b}' "$id"
}

@test "--volatile leaves no event and is forgotten when the job ends" {
  # Until then it is shown above the others.
  local id before
  id=$(submit_held job)
  running job
  fq-job memo "$id" a=1 b=1
  before=$(fq-job eventlog "$id")
  check 0 "" "" fq-job memo --volatile "$id" b=2 c.d=3
  check 0 "" "" fq-job memo --volatile "$id" c.e=4
  expect "$before" "$(fq-job eventlog "$id")"
  check 0 '{"a":1,"b":2,"c":{"d":3,"e":4}}' "" fq-jobs -n -o '{user}' "$id"
  fq-job memo --volatile "$id" b=null c=null
  check 0 '{"a":1,"b":1}' "" fq-jobs -n -o '{user}' "$id"
  fq-job memo --volatile "$id" z=9
  release job
  ended "$id"
  check 0 '{"a":1,"b":1}' "" fq-jobs -n -o '{user}' "$id"
}

@test "R27.21 R27.54 the alloc event keeps the notes that there are then" {
  # Volatile ones too, beside what the scheduler says.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job memo "$id" stage=one a=1
  fq-job memo --volatile "$id" a=2 loss=0.5
  fq-job urgency "$id" default
  ended "$id"
  check 0 '{"sched":{"resource_summary":"rank0/core0"},"user":{"a":2,"loss":0.5,"stage":"one"}}' "" \
    sh -c "fq-job eventlog $id | sed -n 's/.* alloc annotations=\(.*\) boot_id.*/\1/p'"
  check 0 '{"a":1,"stage":"one"}' "" fq-jobs -n -o '{user}' "$id"
}

@test "- reads the value from standard input" {
  # JSON or text; the last newline is not part of it.
  local id
  id=$(fq-submit --urgency=hold true)
  printf 'two\nlines\n' | fq-job memo "$id" text=-
  echo '{"x": 1}' | fq-job memo "$id" object=-
  check 0 '{"object":{"x":1},"text":"two\nlines"}' "" fq-jobs -n -o '{user}' "$id"
}

@test "jobs that take no notes" {
  # Inactive and unknown ones.
  local id
  id=$(fq-submit true)
  ended "$id"
  refuses 1 "fq-job: job $id is inactive" fq-job memo "$id" a=1
  refuses 1 "fq-job: job $id is inactive" fq-job memo --volatile "$id" a=1
  refuses 1 "fq-job: job 123 does not exist" fq-job memo 123 a=1
}

@test "notes that are no notes, or too many" {
  # Nothing is changed.
  local id long
  id=$(fq-submit --urgency=hold true)
  long=$(printf '%020000d' 0)
  refuses 2 "fq-job: expected KEY=VALUE, got 'a'" fq-job memo "$id" a
  refuses 2 "fq-job: expected KEY=VALUE, got '=1'" fq-job memo "$id" =1
  refuses 2 "fq-job: 'a..b': part of the key is empty" fq-job memo "$id" a..b=1
  refuses 2 "fq-job: 'a.b': 'a' is an integer, not an object" fq-job memo "$id" a=1 a.b=2
  refuses 2 "fq-job: KEY=VALUE... is missing (usage: fq-job memo [OPTION...] ID KEY=VALUE...)" fq-job memo "$id"
  refuses 1 "fq-job: the job's memo would be 20009 bytes: at most 16384" fq-job memo "$id" "a=x$long"
  refuses 2 "fq-job: '\\xff': not valid UTF-8" fq-job memo "$id" a=$'\xff'
  check 0 "-" "" fq-jobs -n -o '{user:h}' "$id"
}
