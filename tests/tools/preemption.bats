#!/usr/bin/env bats
# Running jobs that give way to others: what they are told, what becomes of them, and what is said of it.

load helper

setup() { make_store 1:4; }

preempt() { printf '[policy.scheduler]\npreempt = ["standby"]\n%s\n' "${1-}" >fq.toml && fq-config load fq.toml; }

TIMES='s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/TIME/g'

@test "a job that is preempted gives way, waits, and runs again from its beginning" {
  preempt 'preempt-grace = "1h"'
  # It takes its time to end, until it is let go.
  mkfifo victim.up victim.go ends
  victim=$(fq-submit --job-name=victim -S requeue=1 -c4 --qos=standby bash -c 'trap "read -r line <ends; exit 1" TERM
    echo >victim.up; read -r line <victim.go & wait')
  running victim
  urgent=$(submit_held urgent -n4)
  MASK=$TIMES check 0 "$victim: it runs on node0 since TIME
$victim: it is preempted for job $urgent and will be requeued at TIME" "" fq-job why "$victim"
  MASK="$TIMES; s/about .*/about TIME/" check 0 "$urgent: job $victim is preempted for it and ends at TIME
$urgent: it is the next job in the queue
$urgent: waiting for 1 preempted job
$urgent: it may start about TIME" "" fq-job why "$urgent"
  # SIGTERM ends it before its grace is over.
  timeout "$LIMIT" sh -c 'echo >ends'
  running urgent
  MASK=$TIMES check 0 "$victim: it was preempted for job $urgent and waits again since TIME
$victim: it is the next job in the queue
$victim: 4 cores requested, 0 free" "" fq-job why "$victim"
  check 0 "victim S -" "" fq-jobs -n -o '{name} {status_abbrev} {ranks:h}' "$victim"
  release urgent
  running victim
  release victim
  ended "$victim" "$urgent"
  MASK=$EVENT_MASK check 0 'T submit
T validate
T depend
T priority
T alloc
T start
T preempt
T requeue
T finish
T release
T free
T priority
T alloc
T start
T finish
T release
T free
T clean' "" sh -c "fq-job eventlog $victim | sed -E 's/^(T [^ ]+|[^ ]+ [^ ]+).*/\\1/'"
  MASK="$EVENT_MASK" check 0 "T preempt by=$(fq-job id --to=dec "$urgent") grace=3600.0 mode=\"requeue\"
T requeue
T finish status=256" "" sh -c "fq-job eventlog $victim | grep -A2 preempt"
  check 0 "victim CD
urgent CD" "" fq-jobs -a -n --sort=id -o '{name} {status_abbrev}'
  check 0 "checked 2 jobs: sound" "" fq-fsck
}

@test "preempt-mode cancel ends it with an exception that says for whom" {
  preempt 'preempt-mode = "cancel"'
  victim=$(submit_held victim -n4 --qos=standby)
  running victim
  urgent=$(fq-submit -n4 true)
  ended "$victim" "$urgent"
  check 143 "" "fq-job: $victim: preempt: preempted for job $urgent" fq-job status -v "$victim" || true
  check 0 "victim F Exception: type=preempt note=preempted for job $urgent
true CD Exit 0" "" fq-jobs -a -n --sort=id -o '{name} {status_abbrev} {inactive_reason}'
  check 0 "checked 2 jobs: sound" "" fq-fsck
}

@test "who reaches the end of its work in its grace is done" {
  preempt 'preempt-grace = "1h"'
  # What traps the signal, saves its work and succeeds is not run again.
  cat >saves <<'SH'
#!/bin/bash
trap 'echo saved; exit 0' TERM
echo >"$1"
read -r line <"$2" &
wait
SH
  chmod +x saves
  mkfifo up go
  victim=$(fq-submit -c4 --qos=standby ./saves up go)
  read -r line <up
  urgent=$(fq-submit -n4 true)
  exec 9<>go
  ended "$victim" "$urgent"
  exec 9>&-
  check 0 "saved" "" fq-job attach "$victim"
}

@test "what a job wrote before it was preempted is not taken for its own, and fq job attach follows it on" {
  preempt
  mkfifo up go
  victim=$(fq-submit -S requeue=1 -c4 --qos=standby sh -c 'echo "run $1"; echo >up; read line <go; echo done' sh one)
  timeout "$LIMIT" sh -c 'read line <up'
  fq-job attach "$victim" >attached &
  attach=$!
  urgent=$(fq-submit -n4 true)
  ended "$urgent"
  timeout "$LIMIT" sh -c 'read line <up'
  echo >go
  wait "$attach"
  ended "$victim"
  check 0 "run one
done" "" fq-job attach "$victim"
  tail -n 2 attached >tail
  check 0 "run one
done" "" cat tail
}

@test "jobs that nobody named, or of the same quality, are left alone" {
  preempt
  first=$(submit_held first -n4)
  running first
  second=$(fq-submit -n4 --qos=standby true)
  third=$(fq-submit -n4 true)
  check 0 "first R
true S
true S" "" fq-jobs -n --sort=id -o '{name} {status_abbrev}'
  release first
  ended "$second" "$third"
  victim=$(submit_held victim -n4 --qos=standby)
  running victim
  other=$(fq-submit -n4 --qos=standby --urgency=16 true)
  check 0 "victim R
true S" "" fq-jobs -n --sort=id -o '{name} {status_abbrev}'
  release victim
  ended "$other"
}

@test "names, modes and graces that are none are refused, with the near match" {
  refuse() {
    printf '%s\n' "$1" >fq.toml
    refuses 1 "fq-config: fq.toml:1: $2" fq-config check fq.toml
  }
  refuse 'policy.scheduler.preempt = ["stanby"]' \
    "policy.scheduler.preempt: there is no quality of service and no queue 'stanby' (did you mean 'standby'?)"
  refuse 'qos.high.preempt = ["hihg"]' \
    "qos.high.preempt: there is no quality of service and no queue 'hihg' (did you mean 'high'?)"
  refuse 'policy.scheduler.preempt-mode = "requeu"' \
    "policy.scheduler: unknown preempt mode 'requeu': expected one of requeue, cancel (did you mean 'requeue'?)"
  refuse 'policy.scheduler.preempt-grace = "soon"' \
    "policy.scheduler: preempt-grace: invalid duration 'soon': expected a number with one of the units ms, s, m, h or d, or inf"
  refuse 'policy.scheduler.preemt = ["standby"]' \
    "policy.scheduler: unknown key 'preemt' (did you mean 'preempt'?)"
}
