#!/usr/bin/env bats
# bats file_tags=own-store
# A queue that is an instance of its own: its jobs are in a store in the store, and every command finds them there.

load helper

setup() {
  make_store 4:4:1
  write_instance_config "node[2-3]"
  cat >>site.toml <<'END'
policy.jobspec.defaults.system.duration = "10m"

[queues.quick]
parent = "debug"
policy = { limits.duration = "1m", jobspec.defaults.system.duration = "1m" }
END
  fq-config load site.toml
  CHILD=$STORE/instances/debug
}

# in_child COMMAND...: as of the instance alone.
in_child() { FQ_STORE=$CHILD "$@"; }
listed() { fq-jobs -q all -n -o '{name} {queue} {status_abbrev} {nodelist}' "$@"; }

# nodes_of N [OPTION...]: the nodes that a job of so many gets.
nodes_of() { fq-run -N"$@" sh -c '[ "$FLUX_TASK_RANK" != 0 ] || fq-jobs -q all -n -o "{nodelist}" "$FLUX_JOB_ID"'; }
# purge: what has ended is forgotten.
purge() { fq-job purge --force --num-limit=0 >/dev/null; }

@test "PRIO.30 a job goes to the instance that its queue names" {
  # Its store alone has it; a job of another queue is in the store itself. Both are found by their ids.
  local ours theirs
  ours=$(submit_held ours)
  theirs=$(submit_held theirs -q debug)
  running ours
  running theirs
  expect "$theirs" "$(in_child fq-jobs -n -o '{id}')"
  expect "theirs debug R node2
ours batch R node0" "$(listed)"
  check 0 "theirs debug R node2" "" listed "$theirs"
  check 0 "ours batch R node0
theirs debug R node2" "" listed "$ours" "$theirs"
  release ours
  release theirs 4
  check 4 "" "fq-job: $theirs: task(s) exited with exit code 4" fq-job wait "$ours" "$theirs"
}

@test "a virtual queue of an instance is in it" {
  local id
  id=$(fq-submit -q quick true)
  ended "$id"
  expect "$id quick" "$(in_child fq-jobs -a -q all -n -o '{id} {queue}')"
  check 0 "$id quick CD" "" fq-jobs -n -o '{id} {queue} {status_abbrev}' "$id"
  check 0 "$id" "" fq-jobs -a -q debug -n -o '{id}'
  refuses 1 "fq-submit: queue 'quick': duration 5m requested, at most 1m allowed" fq-submit -q quick -t 5 true
}

@test "fq run and fq job attach follow a job of an instance" {
  # Output, input and exit code.
  local id code
  check 3 "out" "err
fq-run: task(s) exited with exit code 3" fq-run -q debug sh -c 'echo out; echo err >&2; exit 3'
  expect "typed" "$(echo typed | fq-run -q debug cat)"
  id=$(submit_held followed -q debug)
  running followed
  timeout "$LIMIT" fq-job attach "$id" >attached.txt 2>&1 3>&- &
  HOLDERS+=($!)
  release followed 5
  code=0
  wait "${HOLDERS[-1]}" || code=$?
  unset 'HOLDERS[-1]'
  expect 5 "$code"
  id=$(fq-submit -q debug echo attached)
  check 0 "attached" "" timeout "$LIMIT" fq-job attach "$id"
  # A terminal of its own.
  expect "a terminal" "$(fq-run -q debug -o pty sh -c 'test -t 1 && echo a terminal' | tr -d '\r')"
}

@test "fq cancel ends jobs of instances, by id and by what selects them" {
  local ours theirs more
  ours=$(fq-submit sleep 1000)
  theirs=$(fq-submit -q debug sleep 1000)
  more=$(fq-submit -q debug sleep 1000)
  check 0 "" "" fq-cancel "$theirs"
  ended "$theirs"
  check 0 "CA" "" fq-jobs -n -o '{status_abbrev}' "$theirs"
  check 0 "canceled 2 jobs" "" fq-cancel --all
  ended "$ours" "$more"
  refuses 1 "fq-cancel: job $theirs is inactive
fq-cancel: job $ours is inactive" fq-cancel "$theirs" "$ours"
}

@test "signals, memos, urgencies and updates reach jobs of instances" {
  local id held
  mkfifo up
  id=$(fq-submit -q debug sh -c 'trap "exit 7" USR1; echo >up; while :; do sleep 0.05; done')
  held=$(fq-submit -q debug --urgency=hold true)
  timeout "$LIMIT" sh -c 'read line <up'
  check 0 "" "" fq-job kill --signal=USR1 "$id"
  ended "$id"
  check 0 "7" "" fq-jobs -n -o '{returncode}' "$id"
  check 0 "" "" fq-job memo "$held" color=blue
  check 0 "blue" "" fq-jobs -n -o '{user.color}' "$held"
  check 0 "" "" fq-update "$held" name=other
  check 0 "other 600.0" "" fq-jobs -n -o '{name} {duration}' "$held"
  check 0 "$held: it is held: its urgency is 0" "" sh -c "fq-job why $held | head -n 1"
  check 0 "" "" fq-job urgency "$held" 16
  ended "$held"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$held"
  check 0 "finish status=0" "" sh -c "fq-job eventlog $held | sed -n 's/^[^ ]* \(finish .*\)/\1/p'"
  check 0 '"other"' "" sh -c "fq-job info $held jobspec | jq .attributes.system.job.name"
  check 0 "$held" "" fq-job last
  check 0 "$held
$id" "" fq-job last 2
}

@test "a job does not go from one instance to another" {
  local ours theirs
  ours=$(fq-submit --urgency=hold true)
  theirs=$(fq-submit -q debug --urgency=hold true)
  refuses 1 "fq-update: job $ours cannot go to queue 'debug', which is another instance (cancel it and submit it there)" \
    fq-update "$ours" queue=debug
  refuses 1 "fq-update: job $theirs cannot go to queue 'batch', which is another instance (cancel it and submit it there)" \
    fq-update "$theirs" queue=batch
  check 0 "" "" fq-update "$theirs" queue=quick
  check 0 "batch
quick" "" fq-jobs -n -o '{queue}' "$ours" "$theirs"
}

@test "dependencies hold within one instance" {
  local ours theirs id hint="a queue that is an instance knows its own jobs only, and others do not know them"
  ours=$(fq-submit true)
  theirs=$(fq-submit -q debug true)
  refuses 1 "fq-submit: a job in the default queue cannot wait for job $theirs ($hint)" fq-submit --dependency=afterok:"$theirs" true
  refuses 1 "fq-submit: a job in queue 'debug' cannot wait for job $ours ($hint)" fq-submit -q debug --dependency=afterok:"$ours" true
  id=$(fq-submit -q debug --dependency=afterok:"$theirs" true)
  ended "$ours" "$id"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "one submission is one instance's" {
  refuses 1 "fq-bulksubmit: queue 'batch' and queue 'debug' are different instances, and a submission is one's (submit to each of them by itself)" \
    fq-bulksubmit -q {} true ::: batch debug
  expect "" "$(fq-jobs -a -q all -n)"
  check 0 "" "" fq-bulksubmit --wait --quiet -q {} true ::: debug debug quick
  expect "debug debug quick" "$(fq-jobs -a -q all -n -o '{queue}' | sort | xargs)"
  refuses 1 "fq-submit: queue 'debg' does not exist (did you mean 'debug'?)" fq-submit -q debg true
}

@test "jobs of several instances are waited for and watched together" {
  # The later end is seen, whichever has it.
  local ours theirs first last
  for first in ours theirs; do
    last=$([ "$first" = ours ] && echo theirs || echo ours)
    rm -f ours.* theirs.*
    ours=$(submit_held ours --flags=waitable)
    theirs=$(submit_held theirs -q debug --flags=waitable)
    running ours
    running theirs
    timeout "$LIMIT" fq-job wait --all --verbose >waited.txt 2>&1 3>&- &
    HOLDERS+=($!)
    release "$first"
    ended "${!first}"
    release "$last"
    wait "${HOLDERS[-1]}"
    unset 'HOLDERS[-1]'
    expect "$(printf '%s\n' "fq-job: $ours: completed" "fq-job: $theirs: completed" | sort)" "$(sed 's/ successfully//' waited.txt | sort)"
  done
  ours=$(fq-submit true)
  theirs=$(fq-submit -q debug sh -c 'exit 3')
  check 3 "" "" timeout "$LIMIT" fq-job status "$ours" "$theirs"
}

@test "queues of instances are listed, stopped, started and drained as others" {
  local id
  check 0 "batch*  0-2
debug  0-2
quick debug 0-2" "" fq-queue list -n -o '{queuem} {parent} {limits.range.nnodes}'
  check 0 "debug 0-2" "" fq-queue list -q debug -n -o '{queue} {limits.range.nnodes}'
  check 0 "debug: Scheduling is stopped: at lunch" "" fq-queue stop debug -m "at lunch"
  check 0 "batch: Job submission is enabled
batch: Scheduling is started
debug: Job submission is enabled
debug: Scheduling is stopped: at lunch
quick: Job submission is enabled
quick: Scheduling is stopped: parent queue 'debug' is stopped" "" fq-queue status
  id=$(fq-submit -q debug true)
  check 0 "$id: queue 'debug' is stopped: at lunch" "" fq-job why "$id"
  refuses 124 "fq-queue: there are still active jobs after 0.100s" fq-queue drain debug --timeout=0.1s
  check 0 "debug: Scheduling is started" "" fq-queue start debug
  check 0 "" "" timeout "$LIMIT" fq-queue drain
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
  check 0 "debug: Job submission is disabled: closed" "" fq-queue disable debug -m closed
  refuses 1 "fq-submit: job submission to queue 'debug' is disabled: closed" fq-submit -q debug true
  check 0 "batch: Job submission is enabled
debug: Job submission is enabled
quick: Job submission is enabled" "" fq-queue enable --all
  check 0 "" "" timeout "$LIMIT" fq-queue idle
}

@test "listings have jobs of all instances, in one order and up to one limit" {
  local i
  for i in 1 2 3; do
    fq-submit --quiet --urgency=hold --job-name="ours$i" true
    fq-submit --quiet --urgency=hold --job-name="theirs$i" -q debug true
  done
  expect "ours1 theirs1 ours2 theirs2 ours3 theirs3" "$(fq-jobs -q all -n -o '{name}' | xargs)"
  expect "ours1 theirs1 ours2 theirs2" "$(fq-jobs -q all -n -c 4 -o '{name}' | xargs)"
  expect "ours1 ours2 ours3" "$(fq-jobs -n -o '{name}' | xargs)"
  expect "theirs1 theirs2 theirs3" "$(fq-jobs -q debug -n -o '{name}' | xargs)"
  expect "theirs3 ours2" "$(fq-jobs -q all -n --sort=-name -f pending -o '{name}' | grep -e s3 -e s2 | sed -n '1p;4p' | xargs)"
  check 0 "0 running, 0 completed, 0 failed, 6 pending, 0 inactive purged" "" fq-jobs -q all --stats-only
  check 0 "0 running, 0 completed, 0 failed, 3 pending, 0 inactive purged" "" fq-jobs -q debug --stats-only
  refuses 1 "fq-jobs: queue 'nope' does not exist (one of batch, debug, quick)" fq-jobs -q nope
  check 0 "canceled 6 jobs" "" fq-cancel --all
  check 0 "purged 6 jobs, 0 inactive left" "" fq-job purge --force --num-limit=0
}

@test "nodes of instances are listed and drained with all others, and nobody has them twice" {
  check 0 "batch 2 8 2 node[0-1]
debug 2 8 2 node[2-3]" "" fq-resource list -n -s free -o '{queue} {nnodes} {ncores} {ngpus} {nodelist}'
  check 0 "" "" fq-resource drain node3 fan
  check 0 "3 fan" "" fq-resource drain -n -o '{ranks} {reason}'
  check 0 "" "" fq-resource undrain 3
  refuses 1 "fq-resource: node[1-2] are nodes of different instances (name those of each by themselves)" fq-resource drain 'node[1-2]' both
  refuses 1 "fq-resource: 'node2' are nodes of queue 'debug', an instance: none of them can be reserved beforehand" \
    fq-resource reserve node2 --start=+1h --duration=1h
  refuses 1 "fq-submit: unsatisfiable request: 3 exclusive nodes requested, the inventory has 2" fq-submit -N3 true
  expect "node[0-1]" "$(nodes_of 2)"
  expect "node[2-3]" "$(nodes_of 2 -q debug)"
}

@test "what a job of an instance runs means the whole store" {
  # A batch job has an instance of its own inside it; one found by --outer is the whole again.
  local id
  expect "$STORE" "$(fq-run -q debug sh -c 'echo $FQ_STORE')"
  id=$(fq-batch -q debug -n2 --output=out.txt --job-name=work \
    --wrap <<<'fq-resource list -n -s free -o "{ncores}"; fq-run echo inner; fq-jobs --outer -n -o "{name} {queue}" $FLUX_JOB_ID')
  ended "$id"
  expect "2
inner
work debug" "$(cat out.txt)"
}

@test "a configuration in which an instance is not alone with its nodes is refused" {
  # And nothing is changed.
  local before
  before=$(fq-config show)
  # bad LINE MESSAGE BATCH DEBUG [REST]
  bad() {
    printf '%s\n' 'policy.jobspec.defaults.system.queue = "batch"' "[queues.batch]" "$3" "[queues.debug]" "$4" "${5-}" >bad.toml
    refuses 1 "fq-config: bad.toml:$1: $2" fq-config load bad.toml
    refuses 1 "fq-config: bad.toml:$1: $2" fq-config check bad.toml
  }
  bad 4 "queues.debug: an instance has nodes of its own (hosts or requires name them)" '' 'instance = true'
  bad 4 "queues.debug: an instance has nodes of its own, and the queue 'batch' has node1, too" \
    'hosts = "node[0-1]"' $'hosts = "node[1-2]"\ninstance = true'
  bad 2 "queues.batch: the default queue cannot be an instance (policy.jobspec.defaults.system.queue names another)" \
    $'hosts = "node0"\ninstance = true' 'hosts = "node1"'
  bad 2 "queues: the instances leave no node to the other queues" '' $'hosts = "all"\ninstance = true'
  bad 8 "queues.quick.instance: a virtual queue is where its parent is" '' 'hosts = "node1"' $'[queues.quick]\nparent = "debug"\ninstance = true'
  bad 6 "queues.debug.instance: expected true or false, got a string" '' $'hosts = "node1"\ninstance = "yes"'
  expect "$before" "$(fq-config show)"
}

@test "an instance with jobs is not taken away, and one without is" {
  local id
  id=$(fq-submit -q debug --urgency=hold true)
  refused() {
    refuses 1 "fq-config: queue 'debug': it would be no instance any more, and its jobs would be gone (fq job purge removes those that have ended)" \
      fq-config load none.toml
  }
  refused
  fq-cancel "$id"
  refused
  purge
  check 0 "" "" fq-config load none.toml
  [ ! -e "$CHILD" ]
  refuses 1 "fq-submit: queue 'debug' does not exist (one of batch)" fq-submit -q debug true
  expect "node[0-3]" "$(nodes_of 4)"
}

@test "a queue with active jobs, and a drained node, become no instance's" {
  local id
  fq-config load none.toml
  sed '/^instance/d' site.toml >queues.toml
  fq-config load queues.toml
  id=$(fq-submit -q debug --urgency=hold true)
  refuses 1 "fq-config: queue 'debug': it has 1 active job, which the instance would not have (when they have ended it can be an instance)" \
    fq-config load site.toml
  fq-cancel "$id"
  fq-resource drain node3 fan
  refuses 1 "fq-config: queue 'debug': node3 is drained (fq resource undrain)" fq-config load site.toml
  fq-resource undrain node3
  fq-config load site.toml
  # What has ended in it is listed still.
  expect "$id" "$(fq-jobs -a -q debug -n -o '{id}')"
  expect "node[2-3]" "$(nodes_of 2 -q debug)"
}

@test "nodes go from one to the other only when no job has them" {
  local id busy="jobs have node3 still (when they have ended it can change hands)"
  id=$(submit_held busy -N2 -q debug)
  running busy
  sed 's/node\[2-3\]/node2/' site.toml >less.toml
  refuses 1 "fq-config: queue 'debug': $busy" fq-config load less.toml
  release busy
  ended "$id"
  fq-config load less.toml
  expect "node2" "$(nodes_of 1 -q debug)"
  expect "node[0-1,3]" "$(nodes_of 3)"
  id=$(submit_held taken -N3)
  running taken
  refuses 1 "fq-config: queue 'debug': $busy" fq-config load site.toml
  release taken
  ended "$id"
  fq-config load site.toml
  expect "node[2-3]" "$(nodes_of 2 -q debug)"
}

@test "an instance has its queue's policy, and another one when that is loaded" {
  local id
  id=$(fq-submit -q debug --urgency=hold true)
  check 0 "600.0" "" fq-jobs -n -o '{duration}' "$id"
  sed 's/"10m"/"20m"/' site.toml >more.toml
  fq-config load more.toml
  id=$(fq-submit -q debug --urgency=hold true)
  check 0 "1200.0" "" fq-jobs -n -o '{duration}' "$id"
}

@test "a virtual queue of an instance with jobs that wait is not taken away unasked" {
  local id
  id=$(fq-submit -q quick --urgency=hold true)
  sed '/quick/,$d' site.toml >fewer.toml
  refuses 1 "fq-config: queue 'quick' would be gone, and 1 job waits in it (--force lets them wait until it is back or they are moved: fq update ID queue=NAME)" \
    fq-config load fewer.toml
  fq-config load --force fewer.toml
  check 0 "" "" fq-update "$id" queue=debug
}

@test "what looks at the whole store sees instances" {
  local id
  id=$(submit_held busy -N2 -q debug)
  running busy
  fq-uptime | grep -q 'size 4'
  check 0 "8 16" "" sh -c 'fq-report --metrics | awk "/^fq_cores /{all=\$2} /^fq_cores_allocated /{taken=\$2} END {print taken, all}"'
  check 0 "$id" "" fq-pgrep -q debug busy
  release busy
  ended "$id"
  fq-log | grep -q config-load
}

@test "there are no accounts beside an instance" {
  refuses 1 "fq-account: there can be no accounts: queue 'debug' is an instance, and nobody would be charged for its jobs" \
    fq-account add-bank physics
  fq-config load none.toml
  fq-account add-bank physics
  refuses 1 "fq-config: queue 'debug': it cannot be an instance: the store has accounts, and nobody would be charged" fq-config load site.toml
}

@test "a store with an instance is sound, and so is the instance" {
  ended "$(fq-submit -q debug true)"
  check 0 "checked 0 jobs: sound" "" fq-fsck
  check 0 "checked 1 job: sound" "" in_child fq-fsck
}

@test "fq init makes a store with an instance, and fq restore one that makes it anew" {
  local other=$WORK/other
  fq-init --quiet --store "$other" --test-nodes 4:4 --config site.toml
  expect works "$(fq-run --store "$other" -q debug echo works)"
  fq-dump --store "$other" other.dump >/dev/null
  fq-restore --store "$WORK/restored" other.dump >/dev/null
  expect again "$(fq-run --store "$WORK/restored" -q debug echo again)"
  fq-run --store "$other" true
  refuses 1 "fq-sim: queue 'debug' is an instance of its own (what is simulated is one instance: leave out \`instance\`, or the queue)" \
    fq-sim --store "$other" --from-store
}
