#!/usr/bin/env bats
# Calls on the store's own files fail (own-files.bats) under commands about jobs that run or have ended.

load failing

setup() { make_store 1:4; }

# A job that runs until it is told to end.
start_job() { id=$(fq-submit --urgency=31 -t 1h sh -c 'trap "exit 9" USR1; echo >up; while :; do read line <go; done'); read -r line <up; }

canceled_or_runs_on() {
  if [ "$code" = 0 ]; then
    # An order that did not come through is the waker's.
    ended "$id" && [ "$(status_of "$id")" = CA ] || { status_of "$id"; return 1; }
    start_job
    target "$id"
  else
    one_line && [ "$(status_of "$id")" = R ]
  fi
}

# The command of the next round: its job changes.
target() { printf '#!/bin/sh\nexec %s\n' "$(printf "$TARGET" "$1")" >command && chmod +x command; }

@test "own files fail while a running job is canceled" {
  # It is canceled, or runs on.
  mkfifo up go
  TARGET='fq-cancel %s'
  start_job
  target "$id"
  MANY=3 each_fault canceled_or_runs_on ./command
}

signaled_or_runs_on() {
  if [ "$code" = 0 ]; then
    ended "$id" && [ "$(fq-jobs -n -o '{returncode}' "$id" | xargs)" = 9 ] || return 1
    start_job
    target "$id"
  else
    one_line && [ "$(status_of "$id")" = R ]
  fi
}

@test "own files fail while a running job gets a signal" {
  # It gets the signal, or the sender is told.
  mkfifo up go
  TARGET='fq-job kill -s USR1 %s'
  start_job
  target "$id"
  MANY=2 each_fault signaled_or_runs_on ./command
}

purged_or_kept() {
  local left
  left=$(count)
  case $code in
    0) [ "$left" = 0 ] ;;
    1) one_line && [ "$left" = 2 ] ;;
    *) false ;;
  esac || return 1
  fq-job purge -f --num-limit=0
  [ -z "$(ls "$STORE/data")" ] || { ls "$STORE/data"; return 1; }
  # shellcheck disable=SC2046
  fq-job status $(fq-submit --cc=1-2 head -c 300000 /dev/zero)
}

@test "own files fail while jobs are purged" {
  # They are gone, or still there; their large outputs are gone with the next purge.
  # shellcheck disable=SC2046
  fq-job status $(fq-submit --cc=1-2 head -c 300000 /dev/zero)
  MANY=3 each_fault purged_or_kept fq-job purge -f --num-limit=0
}
