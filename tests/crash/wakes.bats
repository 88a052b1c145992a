#!/usr/bin/env bats
# Commands that wait for a job, and whoever was to wake them is killed: they look by themselves after a while.

load helper

setup() {
  use_faulty_programs
  fq-init --quiet --store "$STORE" --test-nodes 1:2
  export FQ_STORE=$STORE
}

# wait_in_many_ways NUMBER ID: so many commands of each kind wait for the job; their pids are in $pids.
wait_in_many_ways() {
  local i pid
  pids=()
  for ((i = 0; i < $1; i++)); do
    fq-job wait "$2" >/dev/null 2>&1 3>&- &
    pids+=($!)
    fq-job attach "$2" >/dev/null 2>&1 3>&- &
    pids+=($!)
    fq-job eventlog --follow "$2" >/dev/null 2>&1 3>&- &
    pids+=($!)
    fq-queue drain >/dev/null 2>&1 3>&- &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do waiting "$pid"; done
}

# end_with CODES: all of them do, each with one of these.
end_with() {
  local pid code
  processes gone "${pids[@]}"
  for pid in "${pids[@]}"; do
    code=0
    wait "$pid" || code=$?
    echo "$code" >>codes
  done
  expect "$1" "$(sort -nu codes | xargs)"
}

# bats test_tags=footprint
@test "two hundred commands wait for a job whose canceler dies before it wakes them" {
  # All of them find out; of those that were killed nothing stays.
  local id pids killed
  id=$(fq-submit --urgency=hold true)
  wait_in_many_ways 5 "$id"
  killed=("${pids[@]}")
  wait_in_many_ways 50 "$id"
  kill_now "${killed[@]}"
  touch bin/fault/committed
  run fq-cancel "$id"
  expect 137 "$status"
  end_with "0 1"
  fq-queue start --quiet
  expect "" "$(ls "$STORE/wake")"
}

# bats test_tags=waker
@test "the waker and the last shell are killed while commands wait" {
  # Nobody else is there to see it.
  local id pids
  id=$(submit_held job)
  running job
  until_true processes find "$STORE" fq-waker
  wait_in_many_ways 5 "$id"
  kill_waker
  kill_shell "$id"
  end_with "0 137"
  expect "" "$(ls "$STORE/wake")"
}
