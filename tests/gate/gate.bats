#!/usr/bin/env bats
# The gate of a shared store: fq-gate as root's program, setuid, with a store of user fq and two users who ask, in a mount
# namespace of the tests' own.

load helper

# engine_of USER: the pid of the engine that answers the user, once there is one.
engine_of() {
  local uid
  uid=$(as "$1" id -u)
  # shellcheck disable=SC2016
  timeout "$LIMIT" bash -c 'until pgrep -xf "fq-engine --store /var/lib/fq --user $1 --user-group $1( .*)?"; do read -rt 0.02 <> <(:) || :; done' pgrep "$uid"
}
gone() { [ ! -e "/proc/$1" ] || [ "$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$1/status")" = Z ]; }
export -f gone

@test "what a user may see and do in a shared store" {
  # All jobs, queues and nodes; nothing of others' jobs, and nothing that is the owner's.
  local id
  id=$(as fq fq-submit sleep 1000)
  expect "$id fq R" "$(as fqtest-a fq-jobs -A -n -o '{id} {username} {status_abbrev}')"
  expect "Job submission is enabled"$'\n'"Scheduling is started" "$(as fqtest-a fq-queue status)"
  refuses 1 "fq-cancel: job $id belongs to user 990" as fqtest-a fq-cancel "$id"
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-a fq-job urgency "$id" 3
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-a fq-job info "$id" jobspec
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-a fq-job attach "$id"
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-a fq-job eventlog "$id"
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-a fq-job eventlog -p output "$id"
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-a fq-job hostpids "$id"
  refuses 1 "fq-queue: only the owner may stop a queue" as fqtest-a fq-queue stop
  refuses 1 "fq-resource: only the owner may drain nodes" as fqtest-a fq-resource drain 0
  expect "Job submission is enabled"$'\n'"Scheduling is started" "$(as fqtest-b fq-queue status)"
  as root fq-queue stop --quiet
  expect "Scheduling is stopped" "$(as fqtest-b fq-queue status | tail -n1)"
}

@test "operators do what the owner may" {
  # By name and by group; not what names programs or operators.
  local id
  id=$(as fq fq-submit sleep 1000)
  as fq fq-config load - <<<'access.operators = ["@fqtest-a"]'
  as fqtest-a fq-queue stop --quiet
  as fqtest-a fq-resource drain 1 broken
  expect "1 broken" "$(as fqtest-b fq-resource drain -n -o '{ranks} {reason}')"
  as fqtest-a fq-account add-bank root
  refuses 1 "fq-queue: only the owner or an operator may start a queue" as fqtest-b fq-queue start
  refuses 1 "fq-account: only the owner or an operator may change accounts" as fqtest-b fq-account add-user --username=nobody --bank=root
  refuses 1 "fq-cancel: job $id belongs to user 990" as fqtest-b fq-cancel "$id"
  as fqtest-a fq-queue start --quiet
  expect "sleep 1000" "$(as fqtest-a fq-job info "$id" jobspec | jq -r '.tasks[0].command | join(" ")')"
  as fqtest-a fq-cancel --quiet "$id"
  echo 'access.operators = ["fqtest-b"]' >"$(where mine.toml)"
  refuses 1 "fq-config: only the owner may change access" as fqtest-a fq-config load /mnt/mine.toml
  printf '%s\n' 'access.operators = ["@fqtest-a"]' 'jobs.epilog.command = "/bin/true"' >"$(where mine.toml)"
  refuses 1 "fq-config: only the owner may have '/bin/true' run (an operator chooses among the programs, with their arguments, of the configuration in force)" \
    as fqtest-a fq-config load /mnt/mine.toml
  as fqtest-a fq-config load - <<<$'access.operators = ["@fqtest-a"]\npolicy.limits.duration = "1h"'
  expect "1h" "$(as fqtest-b fq-queue list -n -o '{limits.timelimit}')"
}

@test "what operators do to others' jobs is in the log, with who did it" {
  local id own
  as fq fq-config load - <<<'access.operators = ["fqtest-a"]'
  id=$(as fq fq-submit sleep 1000)
  own=$(as fqtest-a sh -c 'cd /mnt && fq-submit sleep 1000')
  as fq timeout "$LIMIT" fq-job wait-event "$id" start >/dev/null
  as fqtest-a fq-update "$id" duration=1h
  as fqtest-a fq-job memo "$id" note=seen
  as fqtest-a fq-job kill -s CONT "$id"
  as fqtest-a fq-job memo "$own" note=mine
  refuses 1 "fq-job: job $id belongs to user 990" as fqtest-b fq-job memo "$id" note=mine
  # Nor is what was refused.
  run as fqtest-a fq-update "$id" queue=nowhere
  [ "$status" = 1 ]
  expect "job-update job-memo job-kill" "$(as root fq-log --json | jq -r '[.events[] | select(.context.userid == 64101) | .name] | join(" ")')"
  expect 3 "$(as root fq-log --json | jq --argjson id "$(as fq fq-job id --to=dec "$id")" '[.events[] | select(.context.jobs == [$id])] | length')"
  # The store's own user cancels its own jobs alone, after each test.
  as fqtest-a fq-cancel --quiet "$own"
  ended_as fqtest-a "$own"
}

@test "in a private store users see their own jobs only" {
  local id
  id=$(as fq fq-submit --job-name=secret sleep 1000)
  as fq fq-submit --quiet --job-name=secret -n 4 -c 2 sleep 1000
  as fq fq-config load - <<<'access = { private = true, operators = ["fqtest-b"] }'
  expect "" "$(as fqtest-a fq-jobs -A -n)"
  refuses 1 "fq-jobs: job $id does not exist" as fqtest-a fq-jobs -n "$id"
  refuses 1 "fq-job: job $id does not exist" as fqtest-a fq-job why "$id"
  refuses 1 "fq-job: job $id does not exist" as fqtest-a fq-job wait "$id"
  refuses 1 "fq-job: job $id does not exist" as fqtest-a fq-job attach "$id"
  refuses 1 "fq-cancel: job $id does not exist" as fqtest-a fq-cancel "$id"
  expect "" "$(as fqtest-a fq-priority show -n)"
  expect "1 running jobs" "$(as fqtest-a fq-queue status -v | grep running)"
  expect "secret"$'\n'"secret" "$(as fqtest-b fq-jobs -A -n -o '{name}')"
}

@test "what follows a job streams through the gate" {
  # Who waits for a job, be it another's, is woken by its end.
  local id
  id=$(as fq fq-submit sleep 1000)
  as fqtest-a fq-job wait "$id" &
  local waits=$!
  engine_of fqtest-a
  as root fq-cancel --quiet "$id"
  local code=0
  wait "$waits" || code=$?
  [ "$code" != 0 ]
}

@test "the files of the store are nobody's who asks" {
  local path
  for path in /var/lib/fq /var/lib/fq/lock /var/lib/fq/db /var/lib/fq/guest /var/lib/fq/inbox /var/lib/fq/wake; do
    refuses 2 "ls: cannot $([ "$path" = /var/lib/fq ] && echo open directory || echo access) '$path': Permission denied" as fqtest-a ls "$path"
  done
}

@test "the gate's processes are not the caller's" {
  # Neither half can be traced or looked into; the engine is in no session, group or limits of the caller's.
  local id engine gate
  id=$(as fq fq-submit sleep 1000)
  as fqtest-a prlimit --nofile=64: fq-job wait "$id" &
  engine=$(engine_of fqtest-a)
  gate=$(pgrep -r R,S,D -u 64101 -x fq-gate)
  expect "[]" "$(seen_of "$engine" fqtest-a)"
  expect "[]" "$(seen_of "$gate" fqtest-a)"
  expect "990 990 990 990" "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$engine/status")"
  expect "64101 64101 64101 64101" "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$gate/status")"
  [ "$(awk '/^Max open files/ { print $5 }' "/proc/$engine/limits")" != 64 ]
  expect "$engine" "$(awk '{ print $6 }' "/proc/$engine/stat")"
  expect "PATH=/usr/local/bin:/usr/bin:/bin" "$(tr '\0' '\n' <"/proc/$engine/environ")"
  # With its caller the engine goes, too.
  kill -KILL "$gate"
  until_so gone "$engine"
  wait "$!" || true
}

@test "callers leave the gate nothing" {
  # Limits of 0, signals that are blocked or ignored, an environment of ten thousand, descriptors that are closed.
  local wanted
  wanted="Job submission is enabled"$'\n'"Scheduling is started"
  # (Hard limits that root may not raise here are the machine's affair.)
  local limit
  for limit in core fsize msgqueue memlock; do
    expect "$wanted" "$(as fqtest-a prlimit "--$limit=0:" fq-queue status)"
  done
  expect "$wanted" "$(as fqtest-a env --ignore-signal --block-signal fq-queue status)"
  # shellcheck disable=SC2016
  expect "$wanted" "$(as fqtest-a bash -c 'for i in {1..10000}; do export "V$i=x"; done; exec fq-queue status')"
  expect "$wanted" "$(as fqtest-a nice -n 19 fq-queue status)"
  # shellcheck disable=SC2016
  expect "" "$(as fqtest-a sh -c 'fq-gate <&- >&- 2>&-')"
  refuses 1 "fq-gate: it takes no arguments: commands of fq call it themselves" as fqtest-a fq-gate --store /mnt
  world install -m 755 /usr/libexec/fq/fq-gate /mnt/fq-gate
  refuses 1 "fq-gate: this program must be root's, and setuid" as fqtest-a /mnt/fq-gate
  until_so nobody_stays
  world mv /usr/libexec/fq/fq-engine /usr/libexec/fq/elsewhere
  refuses 75 "fq-gate: cannot run /usr/libexec/fq/fq-engine (fq must be where it was built for): No such file or directory" \
    as fqtest-a fq-gate
  world mv /usr/libexec/fq/elsewhere /usr/libexec/fq/fq-engine
}

@test "what is no question is no harm" {
  # Bytes of any kind, a frame that says it is endless, one that ends early; the next who ask are answered.
  head -c 100000 /dev/urandom >"$(where noise)"
  printf 'H\xff\xff\xff\xff' >"$(where endless)"
  printf 'H\0\0\1\0{"protocol":1' >"$(where torn)"
  local name
  for name in noise endless torn; do
    # shellcheck disable=SC2016
    as fqtest-a timeout "$LIMIT" sh -c 'fq-gate <"$0" >/dev/null' "/mnt/$name"
  done
  expect "Job submission is enabled" "$(as fqtest-b fq-queue status | head -n1)"
}

@test "many gates at once are all answered" {
  # Of one user; another's question comes through meanwhile.
  local i pids=()
  for i in $(seq 40); do
    as fqtest-a fq-jobs -A -n &
    pids+=($!)
  done
  expect "Job submission is enabled" "$(as fqtest-b fq-queue status | head -n1)"
  for i in "${pids[@]}"; do wait "$i"; done
}
