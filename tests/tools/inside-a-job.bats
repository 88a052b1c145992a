#!/usr/bin/env bats
# Commands that a job gives: what waits for the job itself would wait for ever.

load helper

setup() { make_store 1:2; }

# inside SCRIPT [OPTION...]: the output of a job that runs it, ids as ID (OWN: its own).
inside() {
  local script=$1
  shift
  timeout "$LIMIT" fq-run "$@" bash -c "exec 2>&1; $script" 2>&1 </dev/null | sed -E 's/ƒ[1-9A-Za-z]+/ID/g'
}

@test "a job that needs what the enclosing job holds says so at once" {
  # In fq run and in fq job why; it starts once the other has ended.
  expect "fq-run: job ID waits: it cannot start before job ID ends, inside which it was submitted and which holds resources that it needs; it is the next job in the queue; 1 core requested, 0 free
inner: it cannot start before job OWN ends, inside which it was submitted and which holds resources that it needs
inner: it is the next job in the queue
inner: 1 core requested, 0 free" "$(inside '
    mkfifo said
    fq-run --job-name=inner true 2>said &
    exec 5<said
    read -r line <&5
    echo "$line"
    id=$(fq-jobs -n --name=inner -o "{id}")
    fq-job why "$id" | sed "s/$id/inner/; s/$FLUX_JOB_ID/OWN/"' -c2)"
  ended "$(fq-jobs -a -n --name=inner -o '{id}')"
  check 0 "CD" "" fq-jobs -a -n --name=inner -o '{status_abbrev}'
}

@test "a job that fits beside the enclosing one waits for others only" {
  # It runs at once; where another job has the rest, that one is the reason.
  expect "beside" "$(inside 'fq-run echo beside')"
  submit_held other >id
  running other
  expect "ID: it is the next job in the queue
ID: 1 core requested, 0 free" "$(inside 'id=$(fq-submit true); fq-job why "$id"; fq-cancel "$id"')"
  release other
}

@test "no job waits for itself, or for one inside which it runs" {
  # Whatever would wait refuses, with exit code 1.
  local own="this runs inside job ID, for whose end it would wait"
  expect "fq-job: $own
1
fq-job: $own
1
fq-job: $own
1
fq-queue: $own
1
fq-queue: $own
1" "$(inside '
    fq-job wait "$FLUX_JOB_ID"; echo $?
    fq-job status "$FLUX_JOB_ID"; echo $?
    fq-job attach "$FLUX_JOB_ID"; echo $?
    fq-queue drain; echo $?
    fq-queue idle; echo $?')"
  expect "fq-job: $own
1" "$(inside 'outer=$FLUX_JOB_ID; export outer; fq-run sh -c "exec 2>&1; fq-job wait \$outer; echo \$?"')"
  expect "0" "$(inside 'fq-job wait "$(fq-submit true)"; echo $?')"
  expect "0" "$(inside 'fq-job wait --all; echo $?' --flags=waitable)"
}

@test "queues and stores that a job is not in can be waited for" {
  # Its own queue cannot.
  printf '[queues.a]\nhosts = "node0"\n[queues.b]\nhosts = "node0"\n[policy]\njobspec.defaults.system.queue = "a"\n' >two.toml
  fq-config load two.toml
  expect "0
fq-queue: this runs inside job ID, for whose end it would wait
1" "$(inside 'fq-queue drain b; echo $?; fq-queue drain a; echo $?')"
  fq-init --quiet --store "$WORK/other" --test-nodes 1:1
  expect "0" "$(inside "fq-queue drain --store '$WORK/other'; echo \$?")"
}
