#!/usr/bin/env bats
# What starts before a job that cannot, and what is told of it. Schedulers by themselves: tests/sched.

load helper

setup() {
  prepare
  fq-init --quiet --store "$STORE" --test-nodes 1:4
  export FQ_STORE=$STORE
}

# job NAME OPTION...: submits one that runs until it is canceled.
job() { fq-submit --job-name="$1" "${@:2}" sleep inf; }

states() { fq-jobs -a -n --queue="${1-}" -o '{name}={status_abbrev}' | sort | paste -sd' '; }

@test "easy: a later job starts where it does not delay the first that waits" {
  job runs -n2 -t 10m >id
  job head -n4 -t 1h
  job endless -n2
  job long -n2 -t 20m
  job short -n1 -t 9m
  job tiny -n1 -t 1m
  expect "endless=S head=S long=S runs=R short=R tiny=R" "$(states)"
  # The head has an estimate, nobody else; the others say behind whom they are.
  MASK='s/eta:[0-9.]+m$/eta:MINUTES/; s/behind job ƒ.*/behind job HEAD/' check 0 "head eta:MINUTES
endless behind job HEAD
long behind job HEAD" "" fq-jobs -n -f pending -o '{name} {contextual_info}'
}

@test "R27.27 a time is told only where it is known" {
  # Not where what must end before has no time limit.
  job runs -n2 >id
  job head -n4 -t 1h
  check 0 "head 4 cores requested, 2 free" "" fq-jobs -n -f pending -o '{name} {contextual_info}'
}

@test "--start lists when jobs that wait may start" {
  # As squeue --start does; others wait for what has no known time.
  job runs -n2 -t 10m
  job head -n4 -t 1h
  job long -n2 -t 20m
  MASK='s/^ +ƒ[^ ]+/ID/; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}/YYYY-MM-DDTHH:MM:SS/' check 0 \
    "ID $(printf %-8.8s "$(id -un)") head            4         16 YYYY-MM-DDTHH:MM:SS       1h 4 cores requested, 2 free
ID $(printf %-8.8s "$(id -un)") long            2         16                   -      20m -" "" fq-jobs -n --start
  check 0 "head" "" fq-jobs -n --start -o '{name}' --name=head
}

@test "what a job waits for is told when others go before it" {
  # The head starts as soon as it can; what was said of it is gone then.
  job runs -n2 -t 10m >id
  job head -n4 -t 1h >head
  job long -n2 -t 20m >long
  MASK='s/about .*/about TIME/' check 0 "$(cat head): it is the next job in the queue
$(cat head): 4 cores requested, 2 free
$(cat head): it may start about TIME" "" fq-job why "$(cat head)"
  MASK='s/about .*/about TIME/' check 0 "$(cat long): 1 job comes before it in the queue: $(cat head) (4 cores requested, 2 free)
$(cat long): what is free is reserved for job $(cat head), which may start about TIME" "" fq-job why "$(cat long)"
  fq-cancel "$(cat id)"
  fq-job wait-event "$(cat head)" start >/dev/null
  check 0 "" "" fq-jobs -n -o '{sched.t_estimate}{sched.reason_pending}' "$(cat head)"
}

@test "a shorter job of a class is tried, though the first could not start" {
  # They differ by less than a tenth: the one that ends in time starts.
  job runs -n2 -t 600s >id
  job head -n4 -t 1h
  job long -n1 -t 602s
  job short -n1 -t 590s
  expect "head=S long=S runs=R short=R" "$(states)"
}

# bats test_tags=own-store
@test "each queue has its scheduler" {
  # On nodes of their own: one back-fills, one does not.
  cat >two.toml <<'TOML'
[policy.jobspec.defaults.system]
queue = "a"
[queues.a]
hosts = "node0"
[queues.a.policy.scheduler]
name = "fcfs"
[queues.b]
hosts = "node1"
TOML
  fq-init --quiet --store "$WORK/two" --test-nodes 2:4
  export FQ_STORE=$WORK/two
  check 0 "" "" fq-config load two.toml
  local queue
  for queue in a b; do
    job "$queue-runs" -q "$queue" -n2 -t 10m >id
    job "$queue-head" -q "$queue" -n4 -t 1h
    job "$queue-short" -q "$queue" -n1 -t 1m
  done
  expect "a-head=S a-runs=R a-short=S b-head=S b-runs=R b-short=R" "$(states a,b)"
  fq-cancel --all --quiet
}

# bats test_tags=own-store
@test "R27.39 conservative: a time limit is not moved into what is reserved" {
  printf '[policy.scheduler]\nname = "conservative"\n' >conservative.toml
  check 0 "" "" fq-config load conservative.toml
  job runs -n2 -t 10m >id
  job head -n4 -t 1h >head
  job next -n3 -t 1h >next
  check 1 "" "fq-update: the time limit of job $(cat id) cannot be changed: it would delay job $(cat head), for which its resources are reserved" \
    fq-update "$(cat id)" duration=20m
  check 0 "" "" fq-update "$(cat id)" duration=8m
  MASK='s/eta:[0-9.]+[mh]$/eta:LATER/' check 0 "head eta:LATER
next eta:LATER" "" fq-jobs -n -f pending -o '{name} {contextual_info}'
}

@test "the parameters of a scheduler are checked when they are loaded" {
  local key message
  while IFS='|' read -r key message; do
    printf '[policy.scheduler]\n%s\n' "$key" >bad.toml
    run --separate-stderr fq-config check bad.toml
    expect "1 fq-config: bad.toml:$message" "$status $stderr"
  done <<'ROWS'
name = "eazy"|2: policy.scheduler: unknown scheduler 'eazy': expected one of easy, conservative, fcfs (did you mean 'easy'?)
queue-depth = 0|2: policy.scheduler: queue-depth: expected an integer from 1 to 2147483647, got 0
reservation-depth = "all"|2: policy.scheduler: reservation-depth: expected an integer, got a string
match-policy = "spred"|2: policy.scheduler: unknown match policy 'spred': expected one of pack, first, spread (did you mean 'spread'?)
queue-dept = 3|2: policy.scheduler: unknown key 'queue-dept' (did you mean 'queue-depth'?)
ROWS
  fq-cancel --all --quiet
}
