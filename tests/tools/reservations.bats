#!/usr/bin/env bats
# Nodes kept for some, or for maintenance, in a time that is set beforehand.

load helper

setup() {
  make_store 2:4
  ME=$(id -un)
  # Numbers of jobs, times of day and of the calendar.
  MASK='s/ƒ[0-9A-Za-z]+/JOB/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/TIME/g; s/[A-Z][a-z]{2}[0-9 ]{2} [0-9]{2}:[0-9]{2}/DAY/g'
}

# started ID...: they run.
started() {
  local id
  for id in "$@"; do fq-job wait-event "$id" start >/dev/null; done
}

@test "what would run into a reservation waits, and is told why; what ends before it starts" {
  check 0 "1" "" fq-resource reserve node0 --start=+2h --duration=4h --reason="new disks"
  check 0 "2" "" fq-resource reserve node1 --start=+1h --duration=1h
  short=$(fq-submit -N2 -t 30m sleep 600)
  started "$short"
  fq-cancel "$short"
  fits=$(fq-submit -n1 -t 90m sleep 600)
  started "$fits"
  expect node0 "$(fq-jobs -n -o '{nodelist}' "$fits")"
  long=$(fq-submit -n1 -t 3h true) endless=$(fq-submit -n1 true)
  fq-job wait-event "$long" priority >/dev/null
  expect "$long SCHED $endless SCHED" "$(fq-jobs -n -f pending -o '{id} {state}' | xargs)"
  check 0 "JOB: it would run into what is reserved: node0 (reservation 1: new disks) from TIME until TIME; node1 (reservation 2) from TIME until TIME" \
    "" sh -c "fq-job why $long | head -1"
  elsewhere=$(fq-submit -n1 -t 3h --requires=host:node1 true)
  check 0 "JOB: it would run into what is reserved: node1 (reservation 2) from TIME until TIME" "" \
    sh -c "fq-job why $elsewhere | head -1"
  check 0 "NUMBER STATE   START        END          FOR FLEX NODELIST REASON
     1 planned DAY  DAY  -   no   node0    new disks
     2 planned DAY  DAY  -   no   node1    " "" fq-resource reservations
  check 0 "" "" fq-resource cancel-reservation 2
  started "$long"
  expect node1 "$(fq-jobs -n -o '{nodelist}' "$long")"
}

@test "under every scheduler a reservation is kept" {
  local name
  for name in fcfs easy conservative; do
    printf '[policy.scheduler]\nname = "%s"\n' "$name" >fq.toml
    fq-config load fq.toml
    number=$(fq-resource reserve 2 --start=+1h --duration=1h)
    in=$(fq-submit -N2 -t 2h true) before=$(fq-submit -n1 -t 30m sleep 600)
    if [ "$name" = fcfs ]; then
      # Nothing overtakes there.
      fq-job wait-event "$before" priority >/dev/null
      expect "$in SCHED $before SCHED" "$(fq-jobs -n -o '{id} {state}' | xargs)"
    else
      started "$before"
      expect "$in SCHED" "$(fq-jobs -n -f pending -o '{id} {state}' | xargs)"
    fi
    fq-cancel "$before"
    fq-resource cancel-reservation "$number"
    started "$in"
    ended "$in"
  done
}

@test "whose it is may use it, and nobody else" {
  fq-resource reserve --quiet node0 --duration=1h --user="$ME"
  fq-resource reserve --quiet node1 --duration=1h
  mine=$(fq-submit -N1 -t 3h sleep 600)
  started "$mine"
  expect node0 "$(fq-jobs -n -o '{nodelist}' "$mine")"
  other=$(fq-submit -N1 -x -t 10m true)
  fq-job wait-event "$other" priority >/dev/null
  expect "$other" "$(fq-jobs -n -f pending -o '{id}')"
  fq-cancel --all --quiet
  fq-resource cancel-reservation 1
  printf '[queues.a]\n[queues.b]\n[policy.jobspec.defaults.system]\nqueue = "b"\n' >fq.toml
  fq-config load fq.toml
  fq-resource reserve --quiet node0 --duration=1h --queue=a --group="$(id -gn)"
  fq-resource cancel-reservation 3
  fq-resource reserve --quiet node0 --duration=1h --queue=a
  a=$(fq-submit -q a true) b=$(fq-submit -q b true)
  ended "$a"
  expect "$b" "$(fq-jobs -n -f pending -o '{id}')"
  check 0 "a - queue:a" "" sh -c "fq-resource reservations -n -o '{reason}{for}' | sort | tr '\n' ' ' | sed 's/^/a /; s/ \$//'"
}

@test "with --flex others may use it that end before it does" {
  fq-resource reserve --quiet 2 --duration=1h --flex --reason=class
  short=$(fq-submit -t 30m sleep 600) long=$(fq-submit -t 2h true)
  started "$short"
  expect "$long" "$(fq-jobs -n -f pending -o '{id}')"
}

# bats test_tags=own-store
@test "a running job is neither ended for a reservation nor prolonged into it" {
  runs=$(fq-submit -N2 -t 2h sleep 600)
  started "$runs"
  check 0 "1" "fq-resource: job JOB may still run when it begins" fq-resource reserve 1 --start=+1h --duration=1h
  check 0 "2" "" fq-resource reserve node1 --start=+3h --duration=1h
  refuses 1 "fq-update: the time limit of job JOB cannot be changed: it would run into what is reserved: node1 (reservation 2) from TIME until TIME" \
    fq-update "$runs" duration=4h
  check 0 "" "" fq-update "$runs" duration=150m
}

@test "time alone ends a reservation, and starts who waited for it" {
  fq-resource reserve --quiet 2 --duration=1s
  job=$(fq-submit true)
  ended "$job"
  check 0 "" "" fq-resource reservations -n
  fq-resource reserve --quiet 2 --duration=1h
  expect 2 "$(fq-resource reservations -n -o '{number}')"
}

@test "a reservation that cannot be is refused with one line" {
  refuses 1 "fq-resource: there is no node 'node7' (the nodes are node[0-1])" fq-resource reserve node7 --duration=1h
  refuses 1 "fq-resource: 3 nodes cannot be reserved: there are 2 nodes" fq-resource reserve 3 --duration=1h
  refuses 1 "fq-resource: 0 nodes cannot be reserved: there are 2 nodes" fq-resource reserve 0 --duration=1h
  refuses 2 "fq-resource: how long? give --duration=FSD" fq-resource reserve 1
  refuses 2 "fq-resource: --duration: expected how long it lasts, as 4h, not '0'" fq-resource reserve 1 --duration=0
  refuses 2 "fq-resource: --duration: invalid duration 'abc': expected a number with one of the units ms, s, m, h or d, or inf" \
    fq-resource reserve 1 --duration=abc
  refuses 2 "fq-resource: --start: begin time 'xyz': expected a time as '+1h', '18:30', '3pm', 'noon', 'tomorrow 8:00', 'friday', 'Dec 24' or '2026-12-24T18:30'" \
    fq-resource reserve 1 --duration=1h --start=xyz
  refuses 1 "fq-resource: it would be over already: it ends at TIME" fq-resource reserve 1 --start=2020-01-01 --duration=1h
  refuses 1 "fq-resource: no user 'nobody-here' is known here" fq-resource reserve 1 --duration=1h --user=nobody-here
  refuses 1 "fq-resource: no group 'nobody-here' is known here" fq-resource reserve 1 --duration=1h --group=nobody-here
  refuses 1 "fq-resource: queue 'batch' does not exist: no queues are configured" fq-resource reserve 1 --duration=1h --queue=batch
  fq-resource reserve --quiet node0 --duration=1h
  refuses 1 "fq-resource: node0 is reserved already from TIME until TIME (reservation 1)" fq-resource reserve node[0-1] --start=+30m --duration=1h
  refuses 1 "fq-resource: 2 nodes cannot be reserved: all but 1 are reserved in that time" fq-resource reserve 2 --duration=1h
  refuses 1 "fq-resource: reservation 7 does not exist" fq-resource cancel-reservation 7
  refuses 2 "fq-resource: expected the number of a reservation, as 'fq resource reservations' shows it, got 'x'" fq-resource cancel-reservation x
}
