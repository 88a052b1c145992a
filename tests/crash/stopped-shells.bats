#!/usr/bin/env bats
# Job shells that somebody stops: limits are kept and cancels obeyed all the same.

load helper

setup() { make_store 1:2; }

# stop_shell ID: SIGSTOP, and waits until it is stopped. stopped ID: whether it is.
stop_shell() {
  local pid
  pid=$(shell_of "$1")
  kill -STOP "$pid"
  until_true grep -q '^State:.T' "/proc/$pid/status"
}
stopped() { grep -q '^State:.T' "/proc/$(shell_of "$1")/status"; }

# bats test_tags=waker
@test "the waker sees to the time limit of a job whose shell was stopped" {
  # Nobody else looks.
  local id
  mkfifo job.up
  id=$(fq-submit -t 4s sh -c 'echo >job.up; exec tail -f /dev/null')
  running job
  stop_shell "$id"
  until_true sh -c '! ls "$0/alive" | grep -q .' "$STORE"
  check 142 "" "fq-job: $id: timelimit: resource allocation expired" fq-job status -v "$id"
}

@test "the next command sees to the time limit of a job whose shell was stopped" {
  # Without a waker.
  local id
  mkfifo job.up
  id=$(fq-submit -t 4s sh -c 'echo >job.up; exec tail -f /dev/null')
  running job
  stop_shell "$id"
  until_true sh -c 'fq-submit --quiet --urgency=hold true && [ "$(fq-jobs -n -o "{status_abbrev}" "$0")" = TO ]' "$id"
}

@test "a shell that was stopped before its limit stays so" {
  # Who stops it has a reason; there is no limit, or it is far.
  local id far
  id=$(submit_held job)
  far=$(submit_held far -t 1h)
  running job
  running far
  stop_shell "$id"
  stop_shell "$far"
  fq-submit --quiet --urgency=hold true
  fq-tick
  stopped "$id"
  stopped "$far"
  fq-cancel --all --quiet
  ended "$id" "$far"
}

@test "a cancel is obeyed by a job whose shell was stopped" {
  # At once.
  local id
  id=$(submit_held job)
  running job
  stop_shell "$id"
  check 0 "" "" fq-cancel "$id"
  check 143 "" "fq-job: $id: canceled" fq-job wait "$id"
}
