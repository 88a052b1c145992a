#!/usr/bin/env bats
# The waker: small, asleep, one a store, replaced whenever it dies.

load helper

setup() { make_store 1:2; }

waker() { processes find "$STORE" fq-waker; }
# memory PID: its resident memory in KiB. switches PID: how often it gave up its processor.
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$1/status"; }
switches() { sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"; }
# asleep PID: it waits for something.
asleep() { grep -q '^State:.S' "/proc/$1/status"; }

# bats test_tags=waker,footprint
@test "the waker takes no more than 4 MiB" {
  # While a job runs and a timer is set, and after it has run a tick.
  local id pid kib
  id=$(submit_held job)
  running job
  fq-submit --quiet --begin-time=+1h true
  until_true waker
  pid=$(waker)
  kib=$(memory "$pid")
  [ "$kib" -le 4096 ] || { echo "$kib KiB"; false; }
  kill_shell "$id"
  until_true sh -c '[ "$(fq-jobs -a -n -o "{status_abbrev}" "$0")" = F ]' "$id"
  expect "$pid" "$(waker)"
  kib=$(memory "$pid")
  [ "$kib" -le 4096 ] || { echo "$kib KiB after a tick"; false; }
}

# bats test_tags=waker
@test "the waker sleeps while nothing happens that it must see" {
  # A job runs and writes, others look and wait and commit: for a second and fifty commands it does not wake.
  local id pid before i
  id=$(fq-submit sh -c 'while :; do echo word; read x <t.go; done')
  mkfifo t.go
  until_true waker
  pid=$(waker)
  until_true asleep "$pid"
  fq-submit --quiet --urgency=hold true
  before=$(switches "$pid")
  for i in 1 2 3 4 5 6 7 8 9 10; do
    fq-jobs >/dev/null
    fq-submit --quiet --urgency=hold true
    fq-job eventlog "$id" >/dev/null
    fq-queue start --quiet
    timeout 0.1 fq-job wait "$id" || [ $? = 124 ]
  done
  expect "$before $pid" "$(switches "$pid") $(waker)"
  fq-cancel --all --quiet
}

@test "a tick keeps the waker, which waits for it, from nothing" {
  # What is in the trash is freed by a process that nobody waits for.
  mkdir -p "$STORE/trash"
  touch "$STORE/trash/word"
  check 0 "" "" fq-tick
  [ -e "$STORE/trash/word" ]
  check 0 "" "" fq-tick --compact
  [ ! -e "$STORE/trash/word" ]
}

# bats test_tags=waker
@test "a waker that can watch nothing looks by itself" {
  # Where the kernel grants no inotify: it finds the killed shell, and nobody else looks.
  local id pid
  mkfifo job.up job.go
  id=$(unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_inotify_instances
    exec fq-submit sh -c "echo >job.up; read code <job.go"')
  running job
  until_true waker
  pid=$(waker)
  until_true asleep "$pid"
  kill_shell "$id"
  until_true sh -c '[ -z "$(ls "$0/alive")" ]' "$STORE"
  check 0 "F" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

# bats test_tags=waker
@test "wakers killed again and again" {
  # Each writer replaces one that was killed; there is never more than one, and none is left in the end.
  local id i
  id=$(submit_held job)
  running job
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    until_true waker >/dev/null
    expect 1 "$(waker | wc -l)"
    # At any moment of its life: just started, or asleep.
    kill_now "$(waker)"
    fq-submit --quiet --urgency=hold true
  done
  until_true waker >/dev/null
  expect 1 "$(waker | wc -l)"
  fq-cancel --quiet -S pending --all
  release job
  ended "$id"
  processes leftovers "$STORE"
}
