#!/usr/bin/env bats
# Commands and wakers die by SIGKILL at random moments: nothing is lost, nothing double, no repair by hand.

load helper

setup() { make_store 1:2; }

kill_loop() { "$PYTHON" "$CRASH_DIR/kill_loop.py" "$@"; }

# sound ID...: every job of the store ends well, the named ones are among them, each ran as often as it should.
sound() {
  local id
  # shellcheck disable=SC2046
  timeout 120 fq-job status $(fq-jobs -a -n -c 0 -o '{id}') || [ $? != 124 ]
  fq-jobs -a -n -c 0 -o '{id}' | sort >all
  for id in "$@"; do grep -qxF "$id" all || { echo "lost: $id"; return 1; }; done
  expect "" "$(uniq -d all)"
  all_free
}

@test "fq-submit killed fifty times never harms the store" {
  # Each printed id is a job; each job completes, having run once.
  kill_loop 1 50 10 fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran' >ids 2>log
  # shellcheck disable=SC2046
  sound $(grep '^ƒ' ids)
  expect "$(grep -v "$(fq-job last)" all)" "$(sort ran)"
  expect "CD" "$(fq-jobs -a -n -c 0 -o '{status_abbrev}' | sort -u | xargs)"
  [ "$(grep -oE '[0-9]+$' log | tail -n 1)" -ge 10 ]
}

@test "bulk submission killed twenty times is whole or not at all" {
  # Every --cc=1-50 has all of its fifty jobs or none.
  kill_loop 2 20 20 fq-submit --urgency=hold --cc=1-50 --job-name='n{cc}' true >ids 2>log
  local counts
  counts=$(fq-jobs -n -c 0 -o '{name}' | sort | uniq -c | awk '{print $1}' | sort -u | xargs)
  [ "$(wc -w <<<"$counts")" -le 1 ] || { echo "uneven: $counts"; false; }
  [ "$(wc -l <ids)" -le "$(fq-jobs -n -c 0 | wc -l)" ]
  fq-cancel --all --quiet
  all_free
}

@test "fq-cancel killed fifty times cancels in the end" {
  # A job is running or canceled at any time, never between; the last cancel ends all.
  local id
  fq-submit --cc=1-30 sh -c 'exec tail -f /dev/null' >ids
  for id in $(cat ids); do
    kill_loop "$(fq-job id --to=dec "$id")" 1 25 fq-cancel "$id" >/dev/null 2>&1
  done
  fq-cancel --all --quiet
  sound $(cat ids)
  expect "CA CD" "$(fq-jobs -a -n -c 0 -o '{status_abbrev}' | sort -u | xargs)"
}

@test "fq-queue killed twenty-four times leaves a queue that is stopped or started" {
  # Each answer is one of the two.
  local i
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    kill_loop "$i" 1 25 fq-queue stop -m "number $i" >/dev/null 2>&1
    run fq-queue status
    [[ ${lines[1]} == "Scheduling is started" || ${lines[1]} =~ ^"Scheduling is stopped: number "[0-9]+$ ]]
    kill_loop "$i" 1 25 fq-queue start >/dev/null 2>&1
  done
  fq-queue start --quiet
  all_free
}

@test "fq-run killed leaves its job to run on" {
  # As with Flux: the job ends by itself, its output is kept.
  mkfifo t.up t.go
  fq-run sh -c 'echo before; echo >t.up; read code <t.go; echo after; exit $code' >/dev/null &
  local pid=$!
  running t
  kill_now "$pid"
  wait "$pid" || true
  release t 6
  local id
  id=$(fq-job last)
  check 6 "before
after" "fq-job: task(s) exited with exit code 6" fq-job attach "$id"
}

@test "fq-init killed twelve times" {
  # Afterwards a plain fq-init makes the store, or there is one.
  local store=$WORK/new i
  for i in $(seq 12); do
    kill_loop "$i" 1 30 fq-init --quiet --store "$store" --test-nodes 1:2 >/dev/null 2>&1
    run --separate-stderr fq-init --quiet --store "$store" --test-nodes 1:2
    expect "" "$output"
    [ "$status" = 0 ] || expect "fq-init: there is a store in '$store' already (--force replaces it if it has no active jobs)" "$stderr"
    check 0 "works" "" fq-run --store "$store" echo works
    processes leftovers "$store"
    rm -rf "$store"
  done
}

# bats test_tags=waker
@test "a killed waker is replaced by the next writer" {
  # A job that waits for its time starts though its waker died, once any writer was there; nobody else looks.
  mkfifo t.up
  fq-submit --begin-time=+1500ms sh -c 'echo >t.up' >id
  until_true processes find "$STORE" fq-waker
  kill_waker
  fq-queue start --quiet
  running t
}

# bats test_tags=waker
@test "fq-tick does the waker's work" {
  # With the waker dead and nobody else there, a tick after the time starts the job.
  local id
  id=$(fq-submit --begin-time=+2s true)
  until_true processes find "$STORE" fq-waker
  kill_waker
  expect "D" "$(status_of "$id")"
  until_true sh -c 'fq-tick; [ "$(fq-jobs -n -o "{status_abbrev}" "$0")" != D ]' "$id"
  check 0 "" "" fq-job wait "$id"
}

# bats test_tags=waker
@test "without a waker a job starts for who waits for it" {
  # Its begin time passes while fq job wait sleeps; a listing would see it too.
  local id
  id=$(fq-submit --begin-time=+1s true)
  until_true processes find "$STORE" fq-waker
  kill_waker
  check 0 "" "" timeout "$LIMIT" fq-job wait "$id"
}

# bats test_tags=waker
@test "one waker a store" {
  # Many commands at once start one.
  local i pids=()
  submit_held job >id
  for i in 1 2 3 4 5 6 7 8; do
    fq-submit --quiet --urgency=hold true &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  running job
  expect 1 "$(processes find "$STORE" fq-waker | wc -l)"
  release job
}

@test "the waker ends with the last job and timer" {
  # Without work nothing of fq stays behind; pending jobs that only wait for urgency need none.
  local id
  id=$(fq-submit true)
  ended "$id"
  processes leftovers "$STORE"
  fq-submit --quiet --urgency=hold true
  expect "" "$(processes find "$STORE" fq-waker || true)"
}

@test "random kills of anything, eighty times" {
  # Submitters, shells, wakers and tasks die at random; every job that was acknowledged ends, none runs twice.
  "$PYTHON" "$CRASH_DIR/chaos.py" "$STORE" 3 80 >ids
  [ "$(wc -l <ids)" -ge 8 ]
  # shellcheck disable=SC2046
  sound $(cat ids)
  expect "" "$(sort ran | uniq -d)"
  local id
  # A job that completed has run; one that has not run has not completed.
  for id in $(fq-jobs -a -n -c 0 -o '{id}' -f completed); do grep -qx "$id" ran || [ "$id" = "$(fq-job last)" ]; done
}
