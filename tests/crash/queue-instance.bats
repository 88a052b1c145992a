#!/usr/bin/env bats
# A queue that is an instance of its own is made, changed and taken away by commands that are killed: a node is never with
# two, no job is lost, and the next command makes good what was left.

load helper

setup() {
  use_faulty_programs
  fq-init --quiet --store "$STORE" --test-nodes 3:2
  export FQ_STORE=$STORE
  write_instance_config "node[1-2]"
  sed 's/node\[1-2\]/node2/' site.toml >less.toml
}

# dies POINT COMMAND...: the command is killed there.
dies() {
  local point=$1
  shift
  touch "bin/fault/$point"
  run --separate-stderr "$@"
  expect "137 " "$status $output"
  [ ! -e "bin/fault/$point" ]
}

# have BATCH DEBUG: nodes that the queues have: as many as it says run at the same time, and no more.
have() {
  expect "$1" "$(fq-run -N"$2" sh -c '[ $FLUX_TASK_RANK != 0 ] || fq-jobs -q all -n -o {nodelist} $FLUX_JOB_ID')"
  expect "$3" "$(fq-run -q debug -N"$4" sh -c '[ $FLUX_TASK_RANK != 0 ] || fq-jobs -q all -n -o {nodelist} $FLUX_JOB_ID')"
  # All nodes are there, each once.
  expect "3" "$(fq-resource list -n -s free -o '{nnodes}')"
  sound
}
sound() {
  fq-fsck
  FQ_STORE=$STORE/instances/debug fq-fsck
}

@test "PRIO.30 an instance is made by who is killed, and the next one" {
  # Before the record nothing has happened; after it whoever looks makes the instance.
  local point
  dies instances-prepared fq-config load site.toml
  expect '{}' "$(fq-config show)"
  expect "node[0-2]" "$(fq-run -N3 sh -c '[ $FLUX_TASK_RANK != 0 ] || fq-jobs -n -o {nodelist} $FLUX_JOB_ID')"
  for point in instances-recorded directories-made database-made instance-made; do
    dies "$point" fq-config load site.toml
    have node0 1 "node[1-2]" 2
    fq-job purge --force --num-limit=0 >purged.txt
    fq-config load none.toml
    [ ! -e "$STORE/instances/debug" ]
  done
}

@test "nodes change hands while who moves them is killed" {
  # Those that were taken from the instance, and not given yet, are its again.
  fq-config load site.toml
  dies instances-prepared fq-config load less.toml
  have node0 1 "node[1-2]" 2
  dies instances-recorded fq-config load less.toml
  have "node[0-1]" 2 node2 1
  dies instances-prepared fq-config load site.toml
  have "node[0-1]" 2 node2 1
  dies instance-made fq-config load site.toml
  have node0 1 "node[1-2]" 2
}

@test "an instance is taken away by who is killed" {
  # Until the record says so it goes on as it was, and then it is gone with the next look.
  local point
  for point in instances-prepared instances-recorded instance-removed; do
    fq-config load site.toml
    dies "$point" fq-config load none.toml
    if [ "$point" = instances-prepared ]; then
      # Who has looked before, and comes in between, is refused.
      refuses 1 "fq-submit: job submission to queue 'debug' is disabled: it is going to be no instance any more" \
        fq-submit --store "$STORE/instances/debug" true
      have node0 1 "node[1-2]" 2
      fq-job purge --force --num-limit=0 >purged.txt
      fq-config load none.toml
    fi
    run fq-submit -q debug true
    expect 1 "$status"
    expect "node[0-2]" "$(fq-run -N3 sh -c '[ $FLUX_TASK_RANK != 0 ] || fq-jobs -n -o {nodelist} $FLUX_JOB_ID')"
    fq-config load none.toml
    [ ! -e "$STORE/instances/debug" ]
    fq-fsck
  done
}

@test "an instance that is made again after who took it away was killed is another one" {
  # Its jobs have ids of their own, by which they are found.
  local point
  fq-config load site.toml
  for point in instances-recorded instance-removed; do
    dies "$point" fq-config load none.toml
    fq-config load site.toml
    have node0 1 "node[1-2]" 2
    fq-job purge --force --num-limit=0 >purged.txt
  done
}

@test "a job of an instance whose shell is killed has failed there, and the instance goes on" {
  local id
  fq-config load site.toml
  id=$(submit_held job -q debug)
  running job
  kill_now $(STORE=$STORE/instances/debug shell_of "$id")
  ended "$id"
  expect F "$(fq-jobs -q all -a -n -o '{status_abbrev}' "$id")"
  fq-job eventlog "$id" | grep -q 'the job shell was killed'
  expect works "$(fq-run -q debug echo works)"
  sound
}

@test "after a boot one command looks after the instances, too" {
  # As after one: no shell of the instance and no waker is there. The next job starts by what the crontab runs.
  local id pid child=$STORE/instances/debug
  fq-config load site.toml
  id=$(submit_held job -q debug -N2)
  running job
  fq-submit --quiet -q debug -N2 sh -c '[ "$FLUX_TASK_RANK" != 0 ] || touch next'
  for pid in $(processes find "$STORE" fq-waker || true) $(processes find "$child" fq-waker || true); do kill_now "$pid"; done
  kill_now $(STORE=$child shell_of "$id")
  fq-tick --store "$STORE"
  until_true test -e next
  sound
}
