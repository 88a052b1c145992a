#!/usr/bin/env bats
# fq-log: who administered what, and when.

load helper

setup() { make_store 2:4:1; }

# told [OPTION...]: the events, without their times.
told() { fq-log -n -o '{username} {event} {what}' "$@" | sed 's/ *$//'; }

@test "every act of an administrator is told, with who asked for it" {
  local me id
  me=$(id -un)
  id=$(fq-submit true)
  ended "$id"
  fq-queue stop --quiet -m "new disks"
  fq-queue start --quiet
  fq-queue disable --quiet -m later
  fq-queue enable --quiet
  fq-resource drain 1 broken
  fq-resource undrain 1
  fq-resource reserve --start=+1h --duration=1h node0 >/dev/null
  fq-resource cancel-reservation 1
  fq-account add-bank root
  fq-account add-bank --parent-bank=root physics 2>/dev/null || fq-account add-bank physics root
  echo 'policy.limits.duration = "1h"' >fq.toml
  fq-config load fq.toml
  echo bytes >data
  fq-job data "$id" trace data
  fq-job purge -f "$id" >/dev/null
  expect "$me queue-stop new disks
$me queue-start
$me queue-disable later
$me queue-enable
$me drain idset=1: broken
$me undrain idset=1
$me reserve end=T idset=0 reservation=1 start=T
$me reservation-cancel reservation=1
$me account bank=root do=add-bank
$me account bank=physics do=add-bank parent=root
$me config-load
$me service-data bytes=6 job=N service=trace
$me purge jobs=1" "$(told | sed -E '1d; s/=[0-9]{4}(-[0-9]{2}){2} [0-9:]{8}/=T/g; s/ shares=1//' | sed "s/job=$id /job=N /")"
}

@test "which of them" {
  local verb
  for verb in stop start stop; do fq-queue "$verb" --quiet; done
  check 0 "queue-start
queue-stop" "" fq-log -n -c2 -o '{event}'
  check 0 "4" "" sh -c 'fq-log -n -c0 | wc -l'
  check 0 "4" "" sh -c 'fq-log -n --since=-1h | wc -l'
  refuses 2 "fq-log: --since: time 'yesterdy': expected one that has been, as '-1h', '10:00', 'yesterday', 'friday', 'Nov 20', '2026-11-20T18:30' or seconds since the epoch" fq-log --since=yesterdy
  check 0 "queue-stop" "" sh -c "fq-log --json | jq -r '.events[-1].name'"
}

@test "the log is bounded, and tells what is gone" {
  local i
  echo 'log.max-bytes = 4096' >fq.toml
  fq-config load fq.toml
  for i in $(seq 30); do
    fq-queue stop --quiet -m "a reason that is long enough to fill the log after some time: $i"
    fq-queue start --quiet
  done
  local events
  events=$(fq-log -n -o '{event} {what}' | sed 's/ *$//')
  [ "$(fq-log --json | wc -c)" -lt 6000 ]
  [[ $events == "log-rotate dropped="* ]]
  [[ $events == *"a reason that is long enough to fill the log after some time: 30"$'\n'"queue-start" ]]
  local dropped
  dropped=$(sed -n '1s/.*=//p' <<<"$events")
  # The definition, the configuration, and sixty; the event that tells of them is none of these.
  expect 62 "$((dropped + $(wc -l <<<"$events") - 1))"
  refuses 1 "fq-config: standard input:1: log.max-bytes: expected an integer from 4096 to 2147483647, got 5" sh -c 'echo "log.max-bytes = 5" | fq-config load -'
  check 0 "checked 0 jobs: sound" "" fq-fsck
}
