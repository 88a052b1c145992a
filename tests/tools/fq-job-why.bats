#!/usr/bin/env bats
# fq-job why: the reasons that a job has not started.

load helper

setup() { make_store 1:2; }

TIMES='s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g'

# why ID LINE...: the answer has these lines, each after the id.
why() {
  local id=$1 text="" line
  shift
  for line in "$@"; do text+="$id: $line"$'\n'; done
  MASK=$TIMES check 0 "${text%$'\n'}" "" fq-job why "$id"
}

@test "a held job" {
  # Its urgency is the reason; no place in the queue.
  why "$(fq-submit --urgency=hold true)" "it is held: its urgency is 0"
}

@test "R27.27 a job that lacks resources" {
  # What it wants and what is free.
  local id
  submit_held job >id
  running job
  id=$(fq-submit -n2 true)
  why "$id" "it is the next job in the queue" "2 cores requested, 1 free"
  release job
}

# bats test_tags=own-store
@test "jobs behind others" {
  # Their number, in priority order, and what the first of them waits for. The listing names that one, too; who lost the first
  # place has no reason of its own any more.
  local first id
  submit_held job -c2 >id
  running job
  first=$(fq-submit true)
  id=$(fq-submit true)
  why "$id" "1 job comes before it in the queue: $first (1 core requested, 0 free)" "1 core requested, 0 free"
  check 0 "behind job $first" "" fq-jobs -n -o '{contextual_info}' "$id"
  check 0 "1 core requested, 0 free
behind job $first" "" fq-jobs -n -f pending -o '{contextual_info}'
  local urgent
  urgent=$(fq-submit --urgency=20 true)
  why "$id" "2 jobs come before it in the queue, first $urgent (1 core requested, 0 free)" "1 core requested, 0 free"
  check 0 "behind job $urgent" "" fq-jobs -n -o '{contextual_info}{annotations}' "$first"
  release job
}

@test "exceptions that did not end a job are told" {
  # Of one that waits, runs or has ended, after the rest, in the order in which they came.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job raise -s 3 -t note "$id" look at this
  why "$id" "it is held: its urgency is 0" "exception of severity 3: note: look at this"
  fq-job raise -s 5 -t later "$id"
  why "$id" "it is held: its urgency is 0" "exception of severity 3: note: look at this" "exception of severity 5: later"
}

@test "jobs with dependencies" {
  # One line for each that is open.
  local first
  first=$(submit_held first)
  running first
  why "$(fq-submit --dependency=afterok:"$first" true)" "job $first has not ended with success"
  why "$(fq-submit --dependency=afternotok:"$first" true)" "job $first has not failed"
  why "$(fq-submit --dependency=afterany:"$first" true)" "job $first has not ended"
  local held
  held=$(fq-submit --urgency=hold true)
  why "$(fq-submit --dependency=after:"$held" --dependency=afterany:"$first" true)" \
    "job $held has not started" "job $first has not ended"
  release first
}

@test "a job that waits for its time" {
  # The local time, with the date.
  why "$(fq-submit --begin-time=+1h true)" "it may not begin before TIME"
}

@test "R33.29 a stopped queue" {
  # The reason given with stop; who comes before it, but none is the next job.
  fq-queue stop --quiet -m "gone fishing"
  why "$(fq-submit true)" "scheduling is stopped: gone fishing"
  fq-queue stop --quiet
  why "$(fq-submit true)" "scheduling is stopped" "1 job comes before it in the queue"
}

@test "held and stopped at once" {
  # Every reason has its line.
  fq-queue stop --quiet -m break
  why "$(fq-submit --urgency=hold true)" "it is held: its urgency is 0" "scheduling is stopped: break"
}

# bats test_tags=own-store
@test "every reason at once" {
  # Of a job that is held, or waits for another, too: its queue, reservations, and nodes that are drained, with who did it. Of
  # one in a stopped queue what it lacks.
  local first id
  submit_held job -n2 >first
  running job
  first=$(cat first)
  fq-queue stop --quiet -m break
  fq-resource drain 0 broken fan
  fq-resource reserve 1 --start=+1h --duration=1h --user=daemon >/dev/null
  why "$(fq-submit -t 2h --urgency=hold true)" "it is held: its urgency is 0" "scheduling is stopped: break" \
    "it would run into what is reserved: node0 (reservation 1) from TIME until TIME for user daemon" \
    "node0 is drained since TIME by $(id -un): broken fan"
  why "$(fq-submit -t 1m --dependency=afterany:"$first" true)" "job $first has not ended" "scheduling is stopped: break" \
    "node0 is drained since TIME by $(id -un): broken fan"
  why "$(fq-submit -t 1m true)" "scheduling is stopped: break" \
    "node0 is drained since TIME by $(id -un): broken fan" "waiting for nodes that are down or drained: 1 core requested, 0 of 2 up"
  release job
}

@test "jobs that run or ended" {
  # Where and since when; how and when.
  local id
  id=$(submit_held job)
  running job
  why "$id" "it runs on node0 since TIME"
  release job 3
  ended "$id"
  why "$id" "it ended as FAILED at TIME: exit code 3"
  id=$(fq-submit --urgency=hold true)
  fq-cancel -m "no use" "$id"
  why "$id" "it ended as CANCELED at TIME: cancel: no use"
}

@test "why of several jobs" {
  # In the order asked for, each line with its job; one that is not there is told of at the end.
  local a b
  a=$(fq-submit --urgency=hold true)
  b=$(fq-submit --urgency=hold true)
  check 1 "$b: it is held: its urgency is 0
$a: it is held: its urgency is 0" "fq-job: job 123 does not exist" fq-job why "$b" 123 "$a"
  expect '["it is held: its urgency is 0"] ["it is held: its urgency is 0"]' \
    "$(fq-job why --json "$a" "$b" | jq -c .reasons | paste -sd' ')"
}

@test "wrong operands" {
  # An unknown id, none.
  refuses 1 "fq-job: job 123 does not exist" fq-job why 123
  refuses 2 "fq-job: ID... is missing (usage: fq-job why [OPTION...] ID...)" fq-job why
}

@test "why asks for no lock" {
  # It answers while a writer holds it.
  local id
  id=$(fq-submit --urgency=hold true)
  hold_lock
  check 0 "$id: it is held: its urgency is 0" "" timeout "$LIMIT" fq-job why "$id"
  release_lock
}

@test "--json gives the reasons as a list" {
  # The id in both forms; exit codes as without.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "$(fq-job id --to=dec "$id") $id" "" sh -c "fq-job why --json $id | '$PYTHON' -c 'import json,sys; d=json.load(sys.stdin); print(d[\"id\"], d[\"jobid\"])'"
  check 0 "$(fq-job why "$id" | sed 's/^[^:]*: //')" "" sh -c "fq-job why --json $id | '$PYTHON' -c 'import json,sys; print(*json.load(sys.stdin)[\"reasons\"], sep=chr(10))'"
  refuses 1 "fq-job: job 123 does not exist" fq-job why --json 123
}
