#!/usr/bin/env bats
# Named queues, as users and administrators of a shared machine see them.

load helper

setup() {
  make_store 4:4:1
  cat >site.toml <<'END'
[policy]
jobspec.defaults.system.queue = "batch"
jobspec.defaults.system.duration = "1h"
limits.duration = "8h"

[queues.batch]
hosts = "node[0-2]"
policy.limits.job-size.max.ncores = 10

[queues.debug]
hosts = "node[2-3]"
policy.jobspec.defaults.system.duration = "10m"
policy.limits = { duration = "30m", job-size = { max = { nnodes = 1, ngpus = 1 }, min.ncores = 2 } }
policy.scheduler.tier = 1

[queues.long]
parent = "batch"
policy.limits.duration = "0"
END
  fq-config load site.toml
}

fields() { fq-jobs -q all -n -o "$1" "${@:2}"; }

@test "R33.24 R33.36 a job that names no queue is in the default one" {
  # Its constraints and time limit come from there; the jobspec as submitted has neither.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "batch 1h" "" fields '{queue} {duration!F}' "$id"
  check 0 'jobspec-update attributes.system.constraints={"properties":["+batch"]} attributes.system.duration=3600.0 attributes.system.queue="batch"' "" \
    sh -c "fq-job eventlog $id | sed -n 's/^[^ ]* \(jobspec-update\)/\1/p'"
  check 0 '{"constraints": {"properties": ["+batch"]}, "duration": 3600.0, "queue": "batch"}' "" attributes "$id"
  check 0 '{"constraints": null, "duration": 0.0, "queue": null}' "" attributes -o "$id"
  check 0 '{"constraints": null, "duration": 0.0, "queue": null}' "" attributes -b "$id"
}
attributes() {
  fq-job info "$@" jobspec | "$PYTHON" -c '
import json, sys
system = json.load(sys.stdin)["attributes"]["system"]
print(json.dumps({key: system.get(key) for key in ("constraints", "duration", "queue")}))'
}

@test "R33.8 what a user sets is no default's to replace" {
  # A limit, a queue, none at all: as an option, an attribute, a jobspec, an update; without any the queue's default.
  local id option
  cat >defaults.toml <<'END'
policy.jobspec.defaults.system = { queue = "batch", duration = "1h" }
[queues.batch]
[queues.long]
policy.jobspec.defaults.system.duration = "2h"
[queues.debug]
policy.jobspec.defaults.system.duration = "10m"
policy.limits.duration = "30m"
END
  fq-config load --force defaults.toml
  for option in "-t 0" "-t inf" "-t infinity" "-S duration=0" "-S system.duration=0.0"; do
    # shellcheck disable=SC2086
    id=$(fq-submit --urgency=hold -q long $option true)
    check 0 "long 0.0" "" fields '{queue} {duration}' "$id"
    # shellcheck disable=SC2086
    fq-submit --dry-run -q long $option true >job.json
    check 0 "long 0.0" "" fields '{queue} {duration}' "$(fq-job submit --urgency=hold job.json)"
    # shellcheck disable=SC2086
    refuses 1 "fq-submit: queue 'debug': no time limit requested, at most 30m allowed" fq-submit -q debug $option true
  done
  check 0 "long 7200.0" "" fields '{queue} {duration}' "$(fq-submit --urgency=hold -q long true)"
  check 0 "long 60.0" "" fields '{queue} {duration}' "$(fq-submit --urgency=hold -q long -t 1 true)"
  check 0 "long 5.0" "" fields '{queue} {duration}' "$(fq-submit --urgency=hold -S queue=long -S duration=5 true)"
  # Whatever the queue it is moved to.
  check 0 "" "" fq-update "$id" queue=batch
  check 0 "batch 0.0" "" fields '{queue} {duration}' "$id"
  id=$(fq-submit --urgency=hold -q long true)
  check 0 "" "" fq-update "$id" duration=inf
  check 0 "long 0.0" "" fields '{queue} {duration}' "$id"
  check 0 "" "" fq-update "$id" queue=batch
  check 0 "batch 0.0" "" fields '{queue} {duration}' "$id"
  id=$(fq-submit --urgency=hold -q long true)
  check 0 "" "" fq-update "$id" queue=batch
  check 0 "batch 3600.0" "" fields '{queue} {duration}' "$id"
}

@test "R33.11 J has the jobspec as it was submitted" {
  # What the queue added is in the event log alone.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-job info "$id" J | "$PYTHON" -c '
import base64, sys
payload = sys.stdin.read().split(".")[1]
print(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode())' >signed
  fq-job info -o "$id" jobspec >original
  check 0 "" "" cmp signed original
}

@test "R33.23 R33.25 an option names the queue" {
  # Unknown ones are refused.
  check 0 "debug 10m" "" fields '{queue} {duration!F}' "$(fq-submit -q debug -c2 true)"
  refuses 1 "fq-submit: queue 'debg' does not exist (did you mean 'debug'?)" fq-submit -q debg true
  refuses 1 "fq-submit: queue 'x' does not exist (one of batch, debug, long)" fq-submit -q x true
}

@test "every command says what the name of a queue is" {
  # As the check of a configuration does.
  local id legal="the name of a queue has no blanks and none of , @ * + ^ / =" command
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-submit: queue 'a b' does not exist: $legal" fq-submit -q 'a b' true
  refuses 1 "fq-bulksubmit: queue 'a b' does not exist: $legal" fq-bulksubmit -q 'a b' true ::: x
  refuses 1 "fq-run: queue 'a b' does not exist: $legal" fq-run -q 'a b' true
  refuses 1 "fq-batch: queue 'a b' does not exist: $legal" fq-batch -n1 -q 'a b' --wrap true
  refuses 1 "fq-update: queue 'a b' does not exist: $legal" fq-update "$id" queue='a b'
  for command in "fq-jobs -q" "fq-cancel --all -q" "fq-pgrep x -q" "fq-pkill x -q" "fq-queue list -q" "fq-resource list -q" \
    "fq-queue status" "fq-queue start" "fq-queue stop" "fq-queue enable" "fq-queue disable -m x"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: queue 'a b' does not exist: $legal" $command 'a b'
  done
  refuses 1 "fq-submit: queue '-x' does not exist: the name of a queue cannot begin with '-'" fq-submit --queue=-x true
}

@test "all stands for every queue where queues are listed" {
  local command
  fq-submit -q debug -c2 --urgency=hold --quiet true
  for command in "fq-queue list" "fq-queue status" "fq-priority show" "fq-resource list" "fq-resource status"; do
    case $command in
    "fq-queue status") check 0 "$($command)" "" $command all ;;
    *) check 0 "$($command)" "" $command -q all && check 0 "$($command)" "" $command -q debug,all ;;
    esac
  done
  check 0 "canceled 1 job" "" fq-cancel --all -q all
  check 0 "" "" fq-queue drain --timeout=1m all
}

@test "R33.12 R33.13 R33.14 R33.15 R33.16 R33.26 what exceeds a limit is refused" {
  # With limit, request and queue; of copies each is looked at.
  refuses 1 "fq-submit: queue 'debug': 2 nodes requested, at most 1 allowed" fq-submit -q debug -N2 -n2 -c2 true
  refuses 1 "fq-submit: queue 'debug': 2 nodes requested, at most 1 allowed" fq-submit -q debug -n2 -c4 true
  refuses 1 "fq-submit: queue 'batch': 12 cores requested, at most 10 allowed" fq-submit -c4 -n3 true
  refuses 1 "fq-submit: queue 'debug': 2 GPUs requested, at most 1 allowed" fq-submit -q debug -g2 -c2 true
  refuses 1 "fq-submit: queue 'debug': 1 core requested, at least 2 needed" fq-submit -q debug true
  refuses 1 "fq-submit: queue 'debug': duration 31m requested, at most 30m allowed" fq-submit -q debug -c2 -t 31m true
  refuses 1 "fq-submit: queue 'batch': duration 9h requested, at most 8h allowed" fq-submit -t 9h true
  check 0 "long 9h" "" fields '{queue} {duration!F}' "$(fq-submit -q long -t 9h true)"
  refuses 1 "fq-bulksubmit: input '40': queue 'debug': duration 40m requested, at most 30m allowed" \
    fq-bulksubmit -q debug -c2 -t '{}m' true ::: 10 20 40
  refuses 1 "fq-submit: copy 31: queue 'debug': duration 31m requested, at most 30m allowed" \
    fq-submit -q debug -c2 --cc=29-31 -t '{cc}m' true
  check 0 "" "" sh -c "fq-jobs -n -q debug -o '{id}'"
}

@test "R33.18 R33.27 access, and exceptions to limits" {
  # Who is not named is refused; the QoS standby needs no queue of its own.
  printf '[queues.locked]\npolicy.access.allow-user = ["nobody-of-that-name"]\n' >>site.toml
  check 0 "" "fq-config: site.toml:$(wc -l <site.toml): queues.locked.policy.access.allow-user: no user 'nobody-of-that-name' is known here" \
    fq-config load site.toml
  refuses 1 "fq-submit: user '$(id -un)' may not use queue 'locked'" fq-submit -q locked true
  refuses 1 "fq-update: user '$(id -un)' may not use queue 'locked'" fq-update "$(fq-submit --urgency=hold true)" queue=locked
  printf 'policy.access.allow-group = ["%s"]\n' "$(id -gn)" >open.toml
  fq-config load --force open.toml
  check 0 "" "" fq-submit --quiet true
  fq-config load --force site.toml
  check 0 "" "" fq-submit --quiet -q debug --qos=standby -t 2d true
}

@test "R33.28 R33.29 R33.30 queues are disabled and stopped one by one, or all" {
  # States last; a stopped queue forgets what its jobs were told.
  local id
  check 0 "debug: Scheduling is stopped: noon" "" fq-queue stop -m noon debug
  id=$(fq-submit -q debug -c2 true)
  check 0 "$id: queue 'debug' is stopped: noon" "" fq-job why "$id"
  check 0 "debug: Job submission is disabled: maintenance" "" fq-queue disable -m maintenance debug
  refuses 1 "fq-submit: job submission to queue 'debug' is disabled: maintenance" fq-submit -q debug -c2 true
  check 0 "" "" fq-job wait "$(fq-submit true)"
  check 0 "batch: Job submission is enabled
batch: Scheduling is started
debug: Job submission is disabled: maintenance
debug: Scheduling is stopped: noon
long: Job submission is enabled
long: Scheduling is started" "" fq-queue status
  check 0 "QUEUE    PARENT   EN ST TDEFAULT   TLIMIT     NNODES     NCORES      NGPUS
batch*             ✔  ✔       1h       8h        0-3       0-10        0-3
debug              ✗  ✗      10m      30m        0-1        2-4        0-1
long     batch     ✔  ✔       1h      inf        0-3       0-10        0-3" "" fq-queue list
  refuses 2 "fq-queue: which queue? name one, or give --all" fq-queue start
  check 0 "batch: Job submission is enabled
debug: Job submission is enabled
long: Job submission is enabled" "" fq-queue enable --all
  check 0 "debug: Scheduling is started" "" fq-queue start debug
  check 0 "" "" fq-job wait "$id"
  refuses 1 "fq-queue: queue 'debg' does not exist (did you mean 'debug'?)" fq-queue stop debg
}

@test "a virtual queue needs its parent to be started" {
  # RFC 33's status object tells why.
  local id
  fq-queue stop --quiet batch
  id=$(fq-submit -q long true)
  check 0 "long: Job submission is enabled
long: Scheduling is stopped: parent queue 'batch' is stopped" "" fq-queue status long
  check 0 '{"queues":[{"blocked":"parent","enable":true,"name":"long","parent":"batch","start":false,"stop_reason":"parent queue '"'batch'"' is stopped"}]}' "" \
    fq-queue status --json long
  check 0 "$id: queue 'batch' is stopped" "" fq-job why "$id"
  fq-queue disable --quiet -m closed long
  check 0 '{"queues":[{"blocked":"parent","disable_reason":"closed","enable":false,"name":"long","parent":"batch","start":false,"stop_reason":"parent queue '"'batch'"' is stopped"}]}' "" \
    fq-queue status --json long
  fq-queue start --quiet batch
  check 0 "" "" fq-job wait "$id"
}

@test "--stats counts the jobs of the queues that are asked for" {
  # A queue that does not exist is an error there, too.
  printf 'policy.jobspec.defaults.system.queue = "a"\n[queues.a]\n[queues.b]\n[queues.v]\nparent = "a"\n' >three.toml
  fq-config load three.toml
  fq-submit --quiet --urgency=hold --cc=1-2 true
  fq-submit --quiet --urgency=hold -q v true
  fq-submit --quiet --urgency=hold -q b true
  pending() { fq-jobs --stats-only "$@" | grep -o '[0-9]* pending'; }
  expect "4 pending 3 pending 1 pending 4 pending" "$(pending) $(pending -q a) $(pending -q v) $(pending -q b,a)"
  refuses 1 "fq-jobs: queue 'c' does not exist (one of a, b, v)" fq-jobs --stats-only -q c
}

@test "list --json has limits and resources" {
  # Beside what the status has; -q chooses.
  check 0 '{"queues":[{"default":false,"defaults":{"timelimit":600.0},"enable":true,"limits":{"max":{"ncores":4,"ngpus":1,"nnodes":1},"min":{"ncores":2,"ngpus":0,"nnodes":0},"timelimit":1800.0},"name":"debug","ncores":8,"ngpus":2,"nnodes":2,"priority":0.5,"start":true}]}' "" \
    fq-queue list -q debug --json
  check 0 "batch 0 10
long 0 10" "" fq-queue list -q long,batch -n -o '{queue} {limits.min.ncores} {limits.max.ncores}'
  refuses 1 "fq-queue: queue 'x' does not exist (one of batch, debug, long)" fq-queue list -q x
}

@test "R33.31 R33.32 drain and idle wait for a queue, or for all" {
  # A virtual queue's jobs count for its parent; it cannot be waited for itself.
  fq-queue stop --quiet debug
  fq-submit --quiet -q debug -c2 true
  submit_held job -q long >running
  running job
  check 0 "" "" fq-queue idle debug
  refuses 124 "fq-queue: there are still running jobs after 0.010s" fq-queue idle --timeout=10ms batch
  refuses 124 "fq-queue: there are still active jobs after 0.010s" fq-queue drain --timeout=10ms debug
  refuses 124 "fq-queue: there are still running jobs after 0.010s" fq-queue idle -t 10ms
  refuses 1 "fq-queue: queue 'long' is a virtual one (wait for its parent: batch)" fq-queue drain long
  refuses 2 "fq-queue: --timeout: invalid duration 'x': expected a number with one of the units ms, s, m, h or d, or inf" fq-queue idle --timeout=x
  timeout "$LIMIT" fq-queue drain batch &
  local waiting=$!
  release job
  wait "$waiting"
  check 0 "" "" fq-queue idle
  refuses 124 "fq-queue: there are still active jobs after 0.010s" fq-queue drain --timeout=10ms
  fq-queue start --quiet debug
  check 0 "" "" timeout "$LIMIT" fq-queue drain
}

@test "R33.1 R33.34 R33.35 fq-jobs shows the default queue, others by name, or all" {
  # With its virtual queues, in one order; the column is there because queues are configured.
  fq-submit --quiet --urgency=hold --job-name=a true
  fq-submit --quiet --urgency=hold --job-name=b -q debug -c2 true
  fq-submit --quiet --urgency=hold --job-name=c -q long true
  check 0 "a c" "" sh -c "fq-jobs -n -o '{name}' | xargs"
  check 0 "b" "" sh -c "fq-jobs -q debug -n -o '{name}' | xargs"
  check 0 "c" "" sh -c "fq-jobs -q long -n -o '{name}' | xargs"
  check 0 "b c" "" sh -c "fq-jobs -q debug,long -n -o '{name}' | xargs"
  check 0 "a b c" "" sh -c "fq-jobs -q all -n -o '{name}' | xargs"
  refuses 1 "fq-jobs: queue 'dbug' does not exist (did you mean 'debug'?)" fq-jobs -q dbug
  MASK='s/ƒ[^ ]+/ID/; s/ +[^ ]+ +c / USER c /; s/^ +//'
  check 0 "JOBID QUEUE    USER     NAME       ST NTASKS NNODES     TIME INFO
ID long USER c           S      1      -       1h held" "" fq-jobs -q long
  check 0 "canceled 1 job" "" fq-cancel --all -q debug
  check 0 "a c" "" sh -c "fq-jobs -q all -n -o '{name}' | xargs"
}

@test "R33.22 a job is moved between queues" {
  # Its constraints and its default time limit are those of the new one, what its user asked for stays.
  local id
  id=$(fq-submit --urgency=hold -c2 --requires=host:node2 true)
  check 0 '{"constraints": {"and": [{"hostlist": ["node2"]}, {"properties": ["+batch"]}]}, "duration": 3600.0, "queue": "batch"}' "" attributes "$id"
  fq-update "$id" queue=debug
  check 0 '{"constraints": {"and": [{"hostlist": ["node2"]}, {"properties": ["+debug"]}]}, "duration": 600.0, "queue": "debug"}' "" attributes "$id"
  refuses 1 "fq-update: queue 'debug': duration 40m requested, at most 30m allowed" fq-update "$id" duration=+30m
  fq-update "$id" duration=+10m
  fq-update "$id" queue=batch
  check 0 '{"constraints": {"and": [{"hostlist": ["node2"]}, {"properties": ["+batch"]}]}, "duration": 1200.0, "queue": "batch"}' "" attributes "$id"
  refuses 1 "fq-update: queue 'nosuch' does not exist (one of batch, debug, long)" fq-update "$id" queue=nosuch
  refuses 1 "fq-update: queue 'debg' does not exist (did you mean 'debug'?)" fq-update "$id" queue=debg
  fq-update "$id" 'constraints={"hostlist":["node[0-1]"]}'
  check 0 '{"constraints": {"and": [{"hostlist": ["node[0-1]"]}, {"properties": ["+batch"]}]}, "duration": 1200.0, "queue": "batch"}' "" attributes "$id"
  refuses 1 'fq-update: unsatisfiable request: no node matches the constraint '"'host:node[0-1] and queue:debug'" fq-update "$id" queue=debug
}

# bats test_tags=own-store
@test "a running job's limit obeys the limit of its queue" {
  # Within it the shell takes the new end at once.
  local id
  id=$(submit_held job -q debug -c2 -t 20m)
  running job
  refuses 1 "fq-update: queue 'debug': duration 40m requested, at most 30m allowed" fq-update "$id" duration=+20m
  fq-update "$id" duration=+10m
  check 0 "30m" "" fields '{duration!F}' "$id"
  refuses 1 "fq-update: job $id has its resources: only its duration, its name and attributes.user can be changed" fq-update "$id" queue=batch
  release job
}

@test "R33.38 queues that share no node, or some, work ahead of dedicated time, exceptions to limits" {
  # A queue's jobs keep to its nodes, whatever else is free; on a node that two have they exclude each other; jobs are
  # submitted to a stopped queue and run when it is started; standby is exempt from limits.
  local night other ahead
  printf '[queues.night]\nhosts = "node3"\n[queues.dedicated]\n' >>site.toml
  fq-config load site.toml
  fq-queue stop --quiet dedicated
  submit_held batch -N2 -x >batch
  running batch
  night=$(fq-submit -q night -N1 -x true)
  check 0 "" "" fq-job wait "$night"
  expect "node3 node[0-1]" "$(fields '{nodelist}' "$(cat batch)" "$night" | sort | xargs)"
  submit_held both -N1 -x >both
  running both
  expect node2 "$(fields '{nodelist}' "$(cat both)")"
  # Of debug's nodes one is taken by batch; batch waits for that, and has no use for the other.
  other=$(fq-submit -N1 -x true)
  check 0 "" "" fq-job wait "$(fq-submit -q debug -N1 -x -c2 true)"
  check 0 "S" "" fields '{status_abbrev}' "$other"
  ahead=$(fq-submit -q dedicated -N1 true)
  check 0 "S" "" fields '{status_abbrev}' "$ahead"
  refuses 1 "fq-submit: queue 'debug': duration 2d requested, at most 30m allowed" fq-submit -q debug -c2 -t 2d true
  check 0 "" "" fq-job wait "$(fq-submit -q debug --qos=standby -c2 -t 2d true)"
  release both
  check 0 "" "" fq-job wait "$other"
  check 0 "S" "" fields '{status_abbrev}' "$ahead"
  fq-queue start --quiet dedicated
  check 0 "" "" fq-job wait "$ahead"
  release batch
}

# bats test_tags=own-store
@test "R33.39 batch and debug share a node, and dedicated time is prepared ahead" {
  # The example of the manual: debug comes first on the node that both use; jobs of the stopped queue wait for their
  # day; standby and expedite need no queues.
  local batch debug ahead standby
  cat >>site.toml <<'END'
[queues.dedicated]
END
  fq-config load site.toml
  fq-queue stop --quiet -m "dedicated time begins on Monday" dedicated
  submit_held holder -N3 -t 2h >holder
  running holder
  ahead=$(fq-submit -q dedicated -N4 true)
  batch=$(fq-submit -n2 -c4 true)
  debug=$(fq-submit -q debug -c4 true)
  standby=$(fq-submit --qos=standby -t 2d -q debug --urgency=1 -c2 true)
  check 0 "" "" fq-job wait "$debug"
  check 0 "" "" fq-job wait "$standby"
  check 0 "S S" "" sh -c "fq-jobs -q all -n -o '{status_abbrev}' $batch $ahead | xargs"
  check 0 "$ahead: queue 'dedicated' is stopped: dedicated time begins on Monday
$ahead: waiting for 4 free nodes (1 free)" "" fq-job why "$ahead"
  fq-job urgency "$batch" expedite
  release holder
  check 0 "" "" fq-job wait "$batch"
  fq-queue start --quiet dedicated
  check 0 "" "" fq-job wait "$ahead"
}
