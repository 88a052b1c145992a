#!/usr/bin/env bats
# Commands that wait for the store's lock, and those that give up.

load helper

setup() { make_store 2:4; }

@test "the lock's time-out names the holder" {
  # Code 124; the holder's pid and command stand in the lock file.
  hold_lock
  echo "${HOLDERS[-1]} fq-holder" >"$STORE/lock"
  refuses 124 "fq-submit: the store '$STORE' stayed locked for 0.3 s by pid ${HOLDERS[-1]} (fq-holder)" \
    fq-submit --lock-timeout 0.3s true
  refuses 124 "fq-cancel: the store '$STORE' stayed locked for 0.1 s by pid ${HOLDERS[-1]} (fq-holder)" \
    fq-cancel --lock-timeout 100ms --all
  release_lock
  check 0 "" "" fq-jobs -a -n
}

@test "the lock's time-out says that the holder is stopped" {
  # A holder stopped by Ctrl-Z or SIGSTOP is the reader's next question.
  hold_lock
  echo "${HOLDERS[-1]} fq-holder" >"$STORE/lock"
  kill -STOP "${HOLDERS[-1]}"
  refuses 124 "fq-submit: the store '$STORE' stayed locked for 0.1 s by pid ${HOLDERS[-1]} (fq-holder), which is stopped" \
    fq-submit --lock-timeout 0.1s true
  kill -CONT "${HOLDERS[-1]}"
  release_lock
}

@test "the lock's time-out names no process that is gone" {
  # What a past holder left in the lock file is not blamed.
  fq-submit --quiet --urgency=hold true
  hold_lock
  sh -c 'echo $$ fq-gone' >"$STORE/lock"
  refuses 124 "fq-submit: the store '$STORE' stayed locked for 0.1 s" fq-submit --lock-timeout 0.1s true
  release_lock
}

@test "the lock's time-out is kept where the kernel grants no timer" {
  # ulimit -i 0. Who waits gets the lock, too, when it is let go.
  hold_lock
  echo "${HOLDERS[-1]} fq-holder" >"$STORE/lock"
  refuses 124 "fq-submit: the store '$STORE' stayed locked for 0.2 s by pid ${HOLDERS[-1]} (fq-holder)" \
    timeout "$LIMIT" bash -c 'ulimit -i 0; exec fq-submit --lock-timeout=0.2s true'
  (ulimit -i 0; exec fq-submit --lock-timeout=1h --urgency=hold true >id) &
  local pid=$!
  release_lock
  wait "$pid"
  check 0 "$(cat id)" "" fq-jobs -n -o '{id}'
}

@test "wrong lock time-outs are usage errors" {
  # A duration is expected.
  refuses 2 "fq-submit: --lock-timeout: invalid duration 'x': expected a number with one of the units ms, s, m, h or d, or inf" \
    fq-submit --lock-timeout x true
  refuses 2 "fq-submit: --lock-timeout: invalid duration '-1s': a duration cannot be negative" \
    fq-submit --lock-timeout=-1s true
}

@test "a command waits for the lock without a time-out" {
  # Submission goes on when the holder lets go.
  hold_lock
  fq-submit --urgency=hold true >id 2>err &
  local pid=$!
  release_lock
  wait "$pid"
  check 0 "$(cat id)" "" fq-jobs -n -o '{id}'
}

@test "an interrupt ends a command that waits for the lock" {
  # INT, TERM and HUP at once, with nothing stored; only who has the lock holds them off.
  local signal pid code
  hold_lock
  for signal in INT TERM HUP; do
    env --default-signal="$signal" fq-submit true >out 2>err &
    pid=$!
    processes locking "$pid"
    kill -s "$signal" "$pid"
    code=0
    processes gone "$pid"
    wait "$pid" || code=$?
    expect "$((128 + $(kill -l "$signal")))  " "$code $(cat out) $(cat err)"
  done
  release_lock
  check 0 "" "" fq-jobs -A -n
}

@test "a command that waits for the lock is not stopped with it" {
  # Ctrl-Z while it waits: it goes on when it has the lock, so that nobody waits for a stopped holder, and stops when it
  # has done. It has a process group of its own: TSTP stops nobody in a group whose parents are gone, such as that of
  # tests that have outlived their terminal.
  local pid
  hold_lock
  set -m
  env --default-signal=TSTP fq-submit --urgency=hold true >id 2>err &
  pid=$!
  set +m
  processes locking "$pid"
  kill -TSTP "$pid"
  release_lock
  timeout "$LIMIT" sh -c 'until [ -n "$(fq-jobs -n)" ]; do sleep 0.02; done'
  check 0 "" "" timeout "$LIMIT" fq-queue stop --quiet
  timeout "$LIMIT" sh -c 'until grep -q "^State:.T" "/proc/$0/status"; do :; done' "$pid"
  kill -CONT "$pid"
  wait "$pid"
  check 0 "$(cat id)" "" fq-jobs -n -o '{id}'
}
