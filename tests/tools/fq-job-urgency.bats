#!/usr/bin/env bats
# fq-job urgency: holding, releasing and reordering jobs that wait.

load helper

setup() { make_store 1:2; }

# bats test_tags=own-store
@test "R27.50 a new urgency puts a job in its new place at once" {
  # The listing and the start follow the urgency, not the submission.
  local run a b c
  run=$(submit_held run -c2)
  running run
  a=$(submit_held a -c2)
  b=$(submit_held b -c2)
  c=$(submit_held c -c2)
  check 0 "" "" fq-job urgency "$c" expedite
  check 0 "" "" fq-job urgency "$a" 3
  check 0 "$c $b $a" "" sh -c "fq-jobs -n -f pending -o '{id}' | xargs"
  check 0 "4294967295 16 3" "" sh -c "fq-jobs -n -f pending -o '{priority}' | xargs"
  release run
  running c
  release c
  running b
  release b
  running a
  release a
}

@test "hold keeps a job from starting, another urgency lets it go" {
  # Held, it waits though the node is free, says why, and starts in the command that releases it.
  local run id
  run=$(submit_held run -c2)
  running run
  id=$(submit_held job -c2)
  fq-job urgency "$id" hold
  release run
  ended "$run"
  check 0 "S 0 held" "" fq-jobs -n -o '{status_abbrev} {priority} {contextual_info}' "$id"
  check 0 "$id: it is held: its urgency is 0" "" fq-job why "$id"
  check 0 "" "" fq-job urgency "$id" default
  running job
  release job
}

@test "the events are Flux's" {
  # urgency with who asked for it, then a priority, and nothing else.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job urgency "$id" 7
  ended "$id"
  MASK=$EVENT_MASK check 0 "T priority priority=0
T urgency userid=$(id -u) urgency=7
T priority priority=7" "" sh -c "fq-job eventlog $id | sed -n 4,6p"
}

@test "a debug job's log tells when it asks for resources" {
  # Once it is released, not while it is held.
  local id
  id=$(fq-submit --flags=debug --urgency=hold true)
  expect "0" "$(fq-job eventlog "$id" | grep -c "debug\." || true)"
  fq-job urgency "$id" default
  ended "$id"
  expect "debug.alloc-request debug.start-request" "$(fq-job eventlog "$id" | grep -o 'debug[^ ]*' | xargs)"
}

# bats test_tags=own-store
@test "-v says what the urgency was" {
  # In Flux's words; with the id where there are several.
  local a b
  a=$(fq-submit --urgency=hold --begin-time=+1h true)
  b=$(fq-submit --urgency=expedite --begin-time=+1h true)
  check 0 "" "old urgency: job held" fq-job urgency -v "$a" 4
  check 0 "" "old urgency: 4" fq-job urgency --verbose "$a" 31
  check 0 "" "$a: old urgency: job expedited
$b: old urgency: job expedited" fq-job urgency -v "$a" "$b" 0
}

@test "the urgency of a job that waits for its time or another job" {
  # It counts once the job is in the queue; no priority is due before.
  local a b
  a=$(fq-submit --urgency=hold true)
  b=$(fq-submit --dependency=afterany:"$a" --urgency=5 true)
  fq-job urgency "$b" 9
  check 0 "D 9" "" fq-jobs -n -o '{status_abbrev} {urgency}' "$b"
  fq-cancel "$a"
  ended "$b"
  MASK=$EVENT_MASK check 0 "T urgency userid=$(id -u) urgency=9
T dependency-remove description=\"after-finish=$a\"
T depend
T priority priority=9" "" sh -c "fq-job eventlog $b | sed -n 4,7p"
}

@test "jobs that have their resources, or have ended, keep their urgency" {
  # Each refusal has its line; the others are changed.
  local run done held
  run=$(submit_held run)
  running run
  done=$(fq-submit true)
  ended "$done"
  held=$(fq-submit --urgency=hold --begin-time=+1h true)
  check 1 "" "fq-job: job $run has its resources: its urgency can no longer be changed
fq-job: job $done is inactive
fq-job: job 123 does not exist" fq-job urgency "$run" "$done" 123 "$held" 12
  check 0 "16 16 12" "" sh -c "fq-jobs -n -o '{urgency}' $run $done $held | xargs"
  release run
}

@test "wrong urgencies and ids" {
  # Nothing is changed.
  local id text
  id=$(fq-submit --urgency=hold true)
  for text in 32 -1 1.5 high ""; do
    refuses 2 "fq-job: urgency: expected 0 to 31, hold, default or expedite, got '$text'" fq-job urgency -- "$id" "$text"
  done
  refuses 2 "fq-job: urgency: expected 0 to 31, hold, default or expedite, got '$id' (the urgency comes last: fq job urgency ID hold)" \
    fq-job urgency hold "$id"
  refuses 2 "fq-job: URGENCY is missing (usage: fq-job urgency [OPTION...] ID... URGENCY)" fq-job urgency "$id"
  refuses 2 "fq-job: invalid job id 'xyz': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" fq-job urgency xyz 3
  check 0 "0" "" fq-jobs -n -o '{urgency}' "$id"
}
