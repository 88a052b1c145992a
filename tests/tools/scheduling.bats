#!/usr/bin/env bats
# The order in which jobs run, and what they run on.

load helper

setup() { make_store 1:2; }

status_of() { fq-jobs -n -o '{status_abbrev}' "$@" | xargs; }

@test "the listing says why the head of the queue waits" {
  # Those behind it wait for it: fq job why says that.
  submit_held job -c2 >id
  running job
  fq-submit --quiet --cc=1-2 true
  check 0 "1 core requested, 0 free
behind job ID" "" sh -c "fq-jobs -n -f sched -o '{contextual_info}' | sed 's/job .*/job ID/'"
  release job
}

@test "R27.16 jobs run in the order of submission" {
  # Ten jobs on one slot write their numbers in order.
  local id
  id=$(submit_held first -c2)
  running first
  local ids
  ids=$(fq-submit -c2 --cc=1-10 sh -c 'echo {cc} >>order')
  release first
  # shellcheck disable=SC2086
  ended $ids
  expect "1 2 3 4 5 6 7 8 9 10" "$(xargs <order)"
}

# bats test_tags=own-store
@test "PRIO.1 higher urgency runs first" {
  # Urgency, then order of submission.
  submit_held first -c2 >id
  running first
  local u ids=()
  for u in 5 16 31 5 20 1; do ids+=("$(fq-submit -c2 --urgency="$u" sh -c "echo $u >>order")"); done
  expect "31 20 16 5 5 1" "$(fq-jobs -n -f pending -o '{urgency}' | xargs)"
  expect "4294967295 20 16 5 5 2" "$(fq-jobs -n -f pending -o '{priority}' | xargs)"
  release first
  ended "${ids[@]}"
  expect "31 20 16 5 5 1" "$(xargs <order)"
}

@test "urgency 0 holds a job, others pass it" {
  # It stays although all is free.
  local held
  held=$(fq-submit --urgency=0 true)
  check 0 "" "" fq-job wait "$(fq-submit true)"
  expect "S" "$(status_of "$held")"
  check 0 "0 0 held" "" fq-jobs -n -o '{urgency} {priority} {contextual_info}' "$held"
}

@test "first come, first served: a small job does not pass a large one" {
  # The head waits for two cores; the job behind it could run but does not (fcfs).
  submit_held first >id
  running first
  local large small
  large=$(fq-submit -c2 sh -c 'echo large >>order')
  small=$(fq-submit sh -c 'echo small >>order')
  expect "S S" "$(status_of "$large" "$small")"
  release first
  ended "$large" "$small"
  expect "large small" "$(xargs <order)"
}

@test "more jobs than fit: 200 through 2 slots, each once" {
  # All complete, none runs twice, never more than two at a time.
  local ids
  ids=$(fq-submit --cc=1-200 sh -c 'echo {cc} >>ran; mkdir slot1 2>/dev/null || mkdir slot2 || echo {cc} >>toomany; rmdir slot1 2>/dev/null || rmdir slot2')
  # shellcheck disable=SC2086
  timeout 120 fq-job status $ids
  expect "$(seq 200)" "$(sort -n ran)"
  [ ! -e toomany ]
  expect "200 CD" "$(fq-jobs -a -n -c 0 -o '{status_abbrev}' | sort | uniq -c | xargs)"
}

@test "no two jobs share a core" {
  # Forty one-core jobs: the cores of R of those that overlap differ.
  local ids
  ids=$(fq-submit --cc=1-40 true)
  # shellcheck disable=SC2086
  ended $ids
  for id in $ids; do fq-job info "$id" R; fq-job eventlog -f json "$id"; done | "$PYTHON" -c '
import json, sys
busy, core, start = [], None, None
for line in sys.stdin:
    d = json.loads(line)
    if "execution" in d:
        core = d["execution"]["R_lite"][0]["children"]["core"]
    elif d["name"] == "alloc":
        start = d["timestamp"]
    elif d["name"] == "free":
        for other, s, e in busy:
            assert other != core or start >= e or d["timestamp"] <= s, (core, start, s, e)
        busy.append((core, start, d["timestamp"]))
assert len(busy) == 40'
}

@test "a job gets what it asks for, spread over nodes" {
  # Two nodes with two cores: -N2 takes one slot of each; slots of two cores a node each.
  fq-init --quiet --store "$WORK/four" --test-nodes 4:2:1
  FQ_STORE=$WORK/four
  summary() { local id; id=$(fq-submit "$@" true); ended "$id"; fq-jobs -n -o '{sched.resource_summary}' "$id"; }
  expect "rank0/core0" "$(summary)"
  expect "rank[0-1]/core0" "$(summary -N2 -n2)"
  expect "rank[0-1]/core[0-1]" "$(summary -n2 -c2)"
  expect "rank0/core[0-1]" "$(summary -n2)"
  expect "rank[0-3]/core[0-1],gpu0" "$(summary -N4)"
  expect "rank2/core0" "$(summary --requires=host:node2)"
  expect "rank[1,3]/core[0-1],gpu0" "$(summary -N2 --requires='not hosts:node[0,2]')"
  expect "rank0/core0,gpu0" "$(summary -g1)"
  expect "" "$(fq-jobs -n)"
  fq-job last 100 | xargs fq-job status
  processes leftovers "$WORK/four"
}

@test "an exclusive node is shared with nobody" {
  # While it runs nothing else starts there.
  local id
  id=$(submit_held alone -N1 -n1 -x)
  running alone
  local other
  other=$(fq-submit true)
  expect "S" "$(status_of "$other")"
  release alone
  check 0 "" "" fq-job wait "$other"
}

@test "a job that ends lets several start" {
  # A two-core job makes room for two at once.
  local big a b
  big=$(submit_held big -c2)
  running big
  a=$(submit_held a)
  b=$(submit_held b)
  release big
  running a
  running b
  expect "R R" "$(status_of "$a" "$b")"
  release a
  release b
}

@test "canceling the head lets the next start" {
  # A head that waits for more than is free is canceled; the job behind it fits and starts.
  submit_held first >id
  running first
  local head next
  head=$(fq-submit -c2 true)
  next=$(submit_held next)
  expect "S S" "$(status_of "$head" "$next")"
  fq-cancel "$head"
  running next
  release next
  release first
}

@test "many submitters at once lose nothing" {
  # Sixteen processes submit five jobs each: eighty ids, all different, all run.
  local i pids=()
  for i in $(seq 16); do
    (for _ in 1 2 3 4 5; do fq-submit true; done) >"ids.$i" &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  expect 80 "$(cat ids.* | sort -u | wc -l)"
  # shellcheck disable=SC2046
  timeout 120 fq-job status $(cat ids.*)
}

@test "submitting, canceling and listing at once" {
  # No command fails and nothing is left when all is over.
  local i pids=()
  for i in 1 2 3 4; do
    (for _ in 1 2 3 4 5 6; do fq-cancel --quiet "$(fq-submit tail -f /dev/null)"; done) 2>>errors &
    pids+=($!)
    (for _ in 1 2 3 4 5 6 7 8 9 10; do fq-jobs -a >/dev/null; done) 2>>errors &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  expect "" "$(cat errors)"
}

@test "the lengths of jobs of no work" {
  # Jobs whose program ends before the shell has looked are completed all the same.
  local ids
  ids=$(fq-submit --cc=1-30 -o cpu-affinity=off true)
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $ids
}

@test "a job with a thousand tasks' worth of output keeps each line whole" {
  # Lines of eight tasks are not mixed.
  fq-init --quiet --store "$WORK/wide" --test-nodes 1:8
  FQ_STORE=$WORK/wide fq-run -n8 sh -c 'for i in $(seq 500); do echo "task $FLUX_TASK_RANK line $i of five hundred"; done' >out
  expect "4000" "$(grep -cE '^task [0-7] line [0-9]+ of five hundred$' out)"
  expect "4000" "$(sort -u out | wc -l)"
  processes leftovers "$WORK/wide"
}

@test "jobs that wait for nodes which are not up are in nobody's way, however many kinds of them come before" {
  # More classes than a scheduler looks at, all of them first in the order; what fits runs, and the first is told why.
  fq-init --quiet --force --store "$STORE" --test-nodes 2:4
  fq-resource drain 1
  seq 300 | fq-bulksubmit --quiet -n5 --setattr=project='p{}' true
  check 0 "" "" fq-run -n4 true
  expect "300" "$(fq-jobs -n -c 0 -o '{id}' | wc -l)"
  fq-cancel --all --quiet
}
