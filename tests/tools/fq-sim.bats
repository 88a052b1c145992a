#!/usr/bin/env bats
# Workloads in pretended time.

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
user 1                      2        0s        0s        0s        0s      1.00  65.0%
user 2                      1     1.65m     1.65m     1.65m     1.65m      2.98  33.3%" "" fq-sim small.swf
  [ ! -e "$STORE" ]
}

@test "configurations are compared side by side" {
  check 0 "NAME                     JOBS      WAIT    MEDIAN       P95       MAX  SLOWDOWN   USED  MAKESPAN
fcfs.toml                   3    1.372m     1.65m    2.467m    2.467m      2.21  61.5%        4m
user 1                      2    1.233m    1.233m    2.467m    2.467m      1.82  40.6%
user 2                      1     1.65m     1.65m     1.65m     1.65m      2.98  20.8%
easy.toml                   3       33s        0s     1.65m     1.65m      1.66  98.3%      2.5m
user 1                      2        0s        0s        0s        0s      1.00  65.0%
user 2                      1     1.65m     1.65m     1.65m     1.65m      2.98  33.3%" "" \
    fq-sim small.swf --compare fcfs.toml --compare easy.toml
}

@test "a scheduler that keeps failing ends the simulation" {
  cat >broken <<'SH'
#!/bin/bash
echo '{"topic":"job-manager.sched-hello"}'; read -r end
echo '{"topic":"job-manager.sched-ready","payload":{"mode":"unlimited"}}'; read -r ready
exit 3
SH
  chmod +x broken
  printf 'policy.scheduler.command = ["%s/broken"]\n' "$PWD" >broken.toml
  check 1 "" "fq-sim: 3 jobs never started: scheduling is suspended: its scheduler failed: it exited with 3 before it had answered sched.alloc" \
    fq-sim small.swf --config broken.toml
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
fq-sim: 1 job refused, job 6: unsatisfiable request: 9 cores requested, the inventory has 4" "$status $stderr"
}

@test "what is wrong is told in one line" {
  : >empty.swf
  check 1 "" "fq-sim: 'empty.swf' has no jobs" fq-sim empty.swf
  check 1 "" "fq-sim: cannot open 'missing.swf': No such file or directory" fq-sim missing.swf
  sed /Max/d small.swf >unsaid.swf
  check 1 "" "fq-sim: the trace does not say how large its machine was (give it with --nodes)" fq-sim unsaid.swf
  check 2 "" "fq-sim: --nodes: expected N:CORES or N:CORES:GPUS, got '4'" fq-sim --nodes 4 small.swf
  check 2 "" "fq-sim: what is to be simulated? give TRACE.swf, --jobs or --from-store" fq-sim
  check 2 "" "fq-sim: one workload at a time: give either TRACE.swf, --jobs or --from-store" fq-sim --from-store small.swf
  check 2 "" "fq-sim: one workload at a time: give either TRACE.swf, --jobs or --from-store" fq-sim --jobs named.csv small.swf
  printf 'job,submit,runtme\n' >named.csv
  check 1 "" "fq-sim: named.csv: line 1: there is no column 'runtme' (did you mean 'runtime'?)" fq-sim --jobs named.csv
  check 2 "" "fq-sim: --schedule needs --json" fq-sim --schedule small.swf
  check 2 "" "fq-sim: --config cannot be used with --compare" fq-sim --config easy.toml --compare easy.toml small.swf
}

@test "limits, access, dependencies and holds of the configuration count, and who is refused is told why" {
  cat >site.toml <<'TOML'
[policy]
jobspec.defaults.system.queue = "batch"
[queues.batch.policy]
limits.duration = "1h"
[queues.own.policy]
access.allow-user = ["ada"]
TOML
  cat >jobs.csv <<'CSV'
job,submit,runtime,limit,slots,queue,user,urgency,dependency
1,0,60,100,4,batch,ada,,
2,1,60,7200,1,batch,ada,,
3,1,60,100,1,own,bob,,
4,1,60,100,1,own,ada,,
5,1,60,100,1,batch,bob,,afternotok:1
6,1,60,100,1,batch,bob,,afterok:1
7,1,60,100,1,batch,ada,0,
8,1,60,100,1,nowhere,ada,,
CSV
  run --separate-stderr fq-sim --jobs jobs.csv --nodes 1:4 --config site.toml
  expect "0
NAME                     JOBS      WAIT    MEDIAN       P95       MAX  SLOWDOWN   USED  MAKESPAN
site.toml                   3    39.33s       59s       59s       59s      1.66  75.0%        2m
queue batch                 2     29.5s     29.5s       59s       59s      1.49  62.5%
queue own                   1       59s       59s       59s       59s      1.98  12.5%
user ada                    2     29.5s     29.5s       59s       59s      1.49  62.5%
user bob                    1       59s       59s       59s       59s      1.98  12.5%" "$status
$output"
  echo "$stderr" >&2
  [[ $stderr == *"fq-sim: 1 job never started; the first is job 7: it is held"* ]]
  [[ $stderr == *"1 job refused, job 3: user 'bob' may not use queue 'own'"* ]]
  [[ $stderr == *"1 job refused, job 8: queue 'nowhere' does not exist"* ]]
  [ "$(grep -c refused <<<"$stderr")" -eq 4 ]
}

@test "groups of a table's users count, and what preemption cost is told" {
  cat >site.toml <<'TOML'
[policy.scheduler]
preempt = ["standby"]
[queues.own.policy]
access.allow-group = ["admins"]
TOML
  cat >jobs.csv <<'CSV'
job,submit,runtime,limit,slots,user,groups,qos
1,0,7200,7200,4,ada,staff admins,standby
2,3600,60,60,2,ada,,
3,1,60,60,1,bob,guests,
CSV
  check 0 '{"jobs":2,"denied":1,"preemptions":1,"lost_core_seconds":14400}' \
    "fq-sim: 1 job refused, job 3: user 'bob' may not use queue 'own'
fq-sim: 1 preemption, which cost 4.0 core-hours" \
    sh -c 'fq-sim --jobs jobs.csv --nodes 1:4 --config site.toml --json | jq -c ".summary | {jobs, denied, preemptions, lost_core_seconds: (.lost_core_seconds | floor)}"'
}

@test "accounts decide whose jobs go first, and strangers to them are refused" {
  printf 'bank,parent_bank,shares\nroot,,1\nlarge,root,9\nsmall,root,1\n' >banks.csv
  printf 'username,userid,bank,shares\nada,1,large,1\nbob,2,small,1\n' >users.csv
  printf '[policy.priority]\nscheme = "multifactor"\n' >fair.toml
  { echo "job,submit,runtime,limit,slots,user"
    for n in $(seq 40); do echo "$n,0,3600,3600,4,$((n % 2 + 1))"; done
    echo "41,0,1,1,1,stranger"; } >jobs.csv
  cat >firsts.py <<'PY'
import json, sys
document = json.load(sys.stdin)
print(sum(job["user"] == "ada" for job in document["jobs"][:20]), [r["reason"] for r in document["summary"]["reasons"]])
PY
  check 0 "18 [\"user 'stranger' is in no bank\"]" "fq-sim: 1 job refused, job 41: user 'stranger' is in no bank" \
    sh -c 'fq-sim --jobs jobs.csv --nodes 1:4 --config fair.toml --accounts banks.csv --accounts users.csv --json --schedule | "$0" firsts.py' "$PYTHON"
}

@test "--from-store runs what the store has seen, on its nodes" {
  fq-init --quiet --test-nodes 1:4
  first=$(fq-submit -n4 -t1m true)
  second=$(fq-submit -n1 --dependency=afterok:"$first" true)
  fq-job status "$first" "$second"
  held=$(fq-submit --urgency=hold true)
  fq-cancel "$(fq-submit --urgency=hold true)"
  run --separate-stderr fq-sim --from-store --json
  expect "0 fq-sim: 1 job left out: ended without having run
fq-sim: 1 job left out: still waiting" "$status $stderr"
  [ "$("$PYTHON" -c 'import json,sys; print(json.load(sys.stdin)["summary"]["jobs"])' <<<"$output")" -eq 2 ]
  fq-cancel "$held"
}

@test "--html is a page that needs nothing else, with a box for each part of a node that a job had" {
  # Tags are balanced, nothing is fetched and nothing runs; names of users and files are text.
  cat >page.py <<'PY'
import html.parser, sys
class Page(html.parser.HTMLParser):
    open, boxes, headings, void = [], [], [], {"meta", "br"}
    def handle_starttag(self, tag, attributes):
        assert tag not in {"script", "link", "img", "iframe"}, tag
        assert not any("//" in (value or "") for _, value in attributes), attributes
        if tag not in self.void: self.open.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag: assert self.open.pop() == "html"
        if self.open: self.open.pop()
    def handle_data(self, text):
        if self.open[-1:] == ["title"] and "svg" in self.open: self.boxes.append(text)
        if self.open[-1:] in (["h1"], ["h2"]): self.headings.append(text)
page = Page()
page.feed((open(sys.argv[1]) if sys.argv[1:] else sys.stdin).read())
print(*page.headings, sep="|")
print(*page.boxes, sep="\n")
PY
  fq-sim small.swf --html >page.html
  check 0 "small.swf|Cores in use|Jobs that wait|Waits by size|What ran where
job 1, user 1: 3 cores, 1.667m after 0s
job 3, user 1: 1 core, 1.5m after 2.000s
job 2, user 2: 4 cores, 50s after 1.667m" "" "$PYTHON" page.py page.html
  [ "$(fq-sim small.swf --html --compare fcfs.toml --compare easy.toml | "$PYTHON" page.py | head -n 1)" = \
    "small.swf|Configurations|Figures: fcfs.toml|Cores in use: fcfs.toml|Jobs that wait: fcfs.toml|Waits by size: fcfs.toml|What ran where: fcfs.toml|Figures: easy.toml|Cores in use: easy.toml|Jobs that wait: easy.toml|Waits by size: easy.toml|What ran where: easy.toml" ]
  refuses 2 "fq-sim: --html cannot be used with --json" fq-sim small.swf --html --json
}

@test "--generate makes a workload that is the same for the same seed, and can be simulated" {
  fq-sim --generate 200 --nodes 4:8 --seed 5 --load 1.2 >a.swf
  fq-sim --generate 200 --nodes 4:8 --seed 5 --load 1.2 >b.swf
  cmp a.swf b.swf
  expect "; fq sim --generate 200 --nodes 4:8 --seed 5 --load 1.2 (after Lublin and Feitelson, 2003)
; MaxJobs: 200
; MaxNodes: 4
; MaxProcs: 32" "$(head -n 4 a.swf)"
  run ! cmp -s a.swf <(fq-sim --generate 200 --nodes 4:8 --seed 6 --load 1.2)
  expect 200 "$(fq-sim a.swf --json | jq .summary.jobs)"
  refuses 2 "fq-sim: --generate: for which machine? (say so with --nodes N:CORES)" fq-sim --generate 5
  refuses 2 "fq-sim: --generate: expected a number from 1 to 10000000, got '0'" fq-sim --generate 0 --nodes 1:1
  refuses 2 "fq-sim: --load: expected a number above 0, up to 100, got '0'" fq-sim --generate 5 --nodes 1:1 --load 0
  refuses 2 "fq-sim: --seed needs --generate" fq-sim small.swf --seed 1
  refuses 2 "fq-sim: --generate makes a workload: leave out what is to be simulated" fq-sim --generate 5 --nodes 1:1 small.swf
  refuses 2 "fq-sim: --generate simulates nothing: only --nodes, --seed and --load go with it" fq-sim --generate 5 --nodes 1:1 --json
}

@test "a bar on a terminal says how far it has come and how fast, and goes with the end" {
  # The rate is the machine's.
  expect "Simulating 3 jobs: [=] 100.0% N job/s" "$("$PYTHON" "$TESTS_DIR/terminal.py" 80 --drawn fq-sim small.swf |
    grep Simulating | tail -n 1 | sed -E 's/=+/=/; s|[0-9.]+ job/s|N job/s|')"
  expect "NAME                     JOBS      WAIT    MEDIAN       P95       MAX  SLOWDOWN   USED  MAKESPAN
all                         3       33s        0s     1.65m     1.65m      1.66  98.3%      2.5m
user 1                      2        0s        0s        0s        0s      1.00  65.0%
user 2                      1     1.65m     1.65m     1.65m     1.65m      2.98  33.3%
exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 80 fq-sim small.swf)"
}

@test "a recorded workload is served as it always was, job by job, under each built-in scheduler" {
  # 300 jobs on 16 nodes of 4 cores; when each started and ended, and on which cores.
  local data=$TESTS_DIR/../data/sim scheduler
  for scheduler in fcfs easy conservative; do
    printf '[policy.scheduler]\nname = "%s"\n' $scheduler >$scheduler.toml
    fq-sim "$data/recorded.swf" --nodes 16:4 --config $scheduler.toml --json --schedule |
      jq -r '.jobs[] | [.id, .start, .end, (.R.execution.R_lite | map("\(.rank)/\(.children.core)") | join(" "))] | @tsv' >$scheduler.tsv
    diff "$data/$scheduler.tsv" $scheduler.tsv >&2
  done
}
