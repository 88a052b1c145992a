#!/usr/bin/env bats
# Workloads in pretended time. No store is used.

load helper

setup() {
  prepare
  cat >small.swf <<'SWF'
; MaxNodes: 1
; MaxProcs: 4
1 0 -1 100 3 -1 -1 3 100 -1 1 1 1 -1 1 -1 -1 -1
2 1 -1 50 4 -1 -1 4 50 -1 1 2 1 -1 1 -1 -1 -1
3 2 -1 90 1 -1 -1 1 90 -1 1 1 1 -1 1 -1 -1 -1
SWF
  printf '[policy.scheduler]\nname = "fcfs"\n' >fcfs.toml
  printf '[policy.scheduler]\nname = "easy"\n' >easy.toml
}

@test "a table of waits, for the whole and each user" {
  check 0 "NAME                     JOBS      WAIT    MEDIAN       P95       MAX  SLOWDOWN   USED  MAKESPAN
all                         3       33s        0s     1.65m     1.65m      1.66  98.3%      2.5m
user 1                      2        0s        0s        0s        0s      1.00
user 2                      1     1.65m     1.65m     1.65m     1.65m      2.98" "" fq-sim small.swf
  [ ! -e "$STORE" ]
}

@test "configurations are compared side by side" {
  check 0 "NAME                     JOBS      WAIT    MEDIAN       P95       MAX  SLOWDOWN   USED  MAKESPAN
fcfs.toml                   3    1.372m     1.65m    2.467m    2.467m      2.21  61.5%        4m
easy.toml                   3       33s        0s     1.65m     1.65m      1.66  98.3%      2.5m" "" \
    fq-sim small.swf --compare fcfs.toml --compare easy.toml
}

@test "--json has the summary and, with --schedule, when and where each job ran" {
  cat >short.py <<'PY'
import json, sys
document = json.load(sys.stdin)
print(document["config"] == "", document["summary"]["wait"]["mean"])
for job in document["jobs"]:
    print(job["id"], job["queue"] == "", job["user"], job["submit"], job["start"], job["end"],
          job["R"]["execution"]["R_lite"], job["R"]["execution"]["nodelist"])
PY
  check 0 "True 33.0
1 True 1 0.0 0.0 100.0 [{'children': {'core': '0-2'}, 'rank': '0'}] ['node0']
3 True 1 2.0 2.0 92.0 [{'children': {'core': '3'}, 'rank': '0'}] ['node0']
2 True 2 1.0 100.0 150.0 [{'children': {'core': '0-3'}, 'rank': '0'}] ['node0']" "" \
    sh -c 'fq-sim --json --schedule small.swf | "$0" short.py' "$PYTHON"
}

@test "lines that are no jobs are told and left out" {
  { cat small.swf; echo "4 5 6"; echo "5 0 -1 -1 1 -1 -1 1 1 -1 5 1 1 -1 1 -1 -1 -1"; echo "6 3 -1 5 9 -1 -1 9 5 -1 1 1 1 -1 1 -1 -1 -1"; } >bad.swf
  run --separate-stderr fq-sim --json bad.swf
  expect "0 fq-sim: line 6: expected 18 numbers, got 3: left out
fq-sim: 1 job left out: no run time or no processors
fq-sim: 1 job can never run; the first is job 6: unsatisfiable request: 9 cores requested, the inventory has 4" "$status $stderr"
}

@test "what is wrong is told in one line" {
  : >empty.swf
  check 1 "" "fq-sim: 'empty.swf' has no jobs" fq-sim empty.swf
  check 1 "" "fq-sim: cannot open 'missing.swf': No such file or directory" fq-sim missing.swf
  sed /Max/d small.swf >unsaid.swf
  check 1 "" "fq-sim: the trace does not say how large its machine was (give it with --nodes)" fq-sim unsaid.swf
  check 2 "" "fq-sim: --nodes: expected N:CORES or N:CORES:GPUS, got '4'" fq-sim --nodes 4 small.swf
  check 2 "" "fq-sim: --schedule needs --json" fq-sim --schedule small.swf
  check 2 "" "fq-sim: --config cannot be used with --compare" fq-sim --config easy.toml --compare easy.toml small.swf
}
