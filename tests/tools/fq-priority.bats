#!/usr/bin/env bats
# What orders jobs: schemes, weights and factors, and what is shown of them.

load helper

setup() {
  make_store 4:8
  ME=$(id -un)
  # How long ids are depends on when the jobs were submitted, how wide a column on who does it.
  MASK='s/^ +ƒ[0-9A-Za-z]+/ JOB/; s/ƒ[0-9A-Za-z]+/JOB/g; s/USER +(PLACE|QUEUE)/USER \1/; s/^ JOB '$ME' +/ JOB ME /'
}

# config TEXT...: loads a configuration.
config() {
  printf '%s\n' "$@" >fq.toml
  fq-config load --quiet fq.toml 2>/dev/null || fq-config load fq.toml
}

# field NAME ID: of `fq priority show --json`.
field() {
  fq-priority show --json "$2" | "$PYTHON" -c 'import json, sys
value = json.load(sys.stdin)["jobs"][0]
for name in sys.argv[1].split("."): value = value[name]
print(value)' "$1"
}

@test "PRIO.17 without a scheme the priority is the urgency that the job was given" {
  fq-queue stop --quiet
  a=$(fq-submit true) b=$(fq-submit --urgency=3 true) c=$(fq-submit --qos=standby true)
  check 0 "     JOBID USER PLACE   PRIORITY
 JOB ME 1         16
 JOB ME 2          3
 JOB ME 3          1" "" fq-priority show
  expect "none" "$(field scheme "$a")"
  expect "3" "$(field priority "$b")"
  expect "1" "$(field priority "$c")"
}

@test "PRIO.1 PRIO.4 PRIO.6 the highest sum of weighted factors comes first, and is what the pass serves" {
  config '[policy.priority]' 'scheme = "multifactor"' \
    'weights = { wait-time = 0, fair-share = 0, qos = 100, queue = 0, job-size = 1000, user = 300 }'
  fq-queue stop --quiet
  small=$(fq-submit true) large=$(fq-submit -N3 true) low=$(fq-submit -N3 --urgency=1 true)
  last=$(fq-submit --qos=standby true)
  check 0 "     JOBID USER PLACE   PRIORITY          QOS           SIZE          USER
 JOB ME 1        960 100×0.500=50 1000×0.750=750 300×0.533=160
 JOB ME 2        810 100×0.500=50 1000×0.750=750  300×0.033=10
 JOB ME 3        460 100×0.500=50 1000×0.250=250 300×0.533=160
 JOB ME 4        410  100×0.000=0 1000×0.250=250 300×0.533=160" "" fq-priority show
  expect "$large
$low
$small
$last" "$(fq-jobs -n -o '{id}')"
  expect "960 810 460 410 " "$(fq-jobs -n -o '{priority}' | tr '\n' ' ')"
  # They start in that order once only one fits at a time, and keep what their factors added.
  fq-update "$small" duration=10m >/dev/null
  fq-queue start --quiet
  ended "$large" "$low" "$small" "$last"
  expect '{"fair_share":0.0,"job_size":750.0,"qos":50.0,"queue":0.0,"sum":960.0,"user":160.0,"wait_time":0.0}' \
    "$(fq-jobs -a -n -o '{annotations.priority}' "$large")"
}

@test "PRIO.15 the size favours large jobs, or small ones, by their part of all nodes" {
  local weights='weights = { wait-time = 0, fair-share = 0, qos = 0, queue = 0, job-size = 1000, user = 0 }'
  fq-queue stop --quiet
  one=$(fq-submit -N1 true) four=$(fq-submit -N4 true) two=$(fq-submit -N2 true)
  config '[policy.priority]' 'scheme = "multifactor"' "$weights"
  expect "$four 1000 $two 500 $one 250" "$(fq-jobs -n -o '{id} {priority}' | xargs)"
  config '[policy.priority]' 'scheme = "multifactor"' 'favor = "small"' "$weights"
  expect "$one 750 $two 500 $four 1" "$(fq-jobs -n -o '{id} {priority}' | xargs)"
}

@test "PRIO.3 back-fill goes with any order: what the priority puts first is reserved, what is later fills the gap" {
  local scheme
  for scheme in none fcfs multifactor; do
    config '[policy.priority]' "scheme = \"$scheme\"" '[policy.scheduler]' 'name = "easy"'
    runs=$(fq-submit -N3 -x -t 10m sleep 600)
    head=$(fq-submit -N4 -x -t 1h true)
    long=$(fq-submit -N1 -x -t 20m true)
    fills=$(fq-submit -N1 -x -t 5m sleep 600)
    fq-job wait-event "$runs" start >/dev/null
    fq-job wait-event "$fills" start >/dev/null
    expect "$head SCHED $long SCHED" "$(fq-jobs -n -f pending -o '{id} {state}' | xargs)"
    fq-cancel --all --quiet
    fq-job wait-event "$runs" clean >/dev/null
    fq-job wait-event "$fills" clean >/dev/null
  done
}

@test "PRIO.2 fcfs gives the first job very much, and each next one less, whatever else they ask for" {
  config '[policy.priority]' 'scheme = "fcfs"'
  fq-queue stop --quiet
  a=$(fq-submit --urgency=1 true) b=$(fq-submit -N4 true)
  fq-submit --quiet --cc=1-3 --qos=standby true
  high=$(fq-submit true) held=$(fq-submit --urgency=0 true)
  in_store fq-job urgency "$high" expedite
  first=$(field priority "$a")
  [ "$first" -gt 4294000000 ]
  expect "4294967295 $first $((first - 1)) $((first - 2)) $((first - 3)) $((first - 4)) 0 " \
    "$(fq-jobs -n -o '{priority}' | tr '\n' ' ')"
  # A change of urgency does not move a job, only hold and expedite do.
  fq-job urgency "$b" 16
  expect "$((first - 1))" "$(field priority "$b")"
  fq-job urgency "$high" default
  expect "$((first - 5))" "$(field priority "$high")"
}

@test "PRIO.14 queues that share nodes are ordered by their factor" {
  config '[policy]' 'jobspec.defaults.system.queue = "batch"' '[policy.priority]' 'scheme = "multifactor"' \
    '[queues.batch]' '[queues.debug]' 'policy.priority.queue-factor = 1.0'
  fq-queue stop --quiet --all
  batch=$(fq-submit true) debug=$(fq-submit -q debug true)
  expect "$debug
$batch" "$(fq-jobs -n -q all -o '{id}')"
  expect "10000.0" "$(field points.queue "$debug")"
  expect "5000.0" "$(field points.queue "$batch")"
}

@test "PRIO.11 qualities of service by name" {
  config "qos.expedite.allow-user = ['$ME']" '[qos.urgent]' 'factor = 0.8' '[qos.nightly]' 'exempt = ["duration"]' '[policy]' 'limits.duration = "1h"' \
    '[policy.priority]' 'scheme = "multifactor"'
  fq-queue stop --quiet
  expect "8000.0" "$(field points.qos "$(fq-submit -t 5m --qos=urgent true)")"
  expect "10000.0" "$(field points.qos "$(fq-submit -t 5m --qos=expedite true)")"
  expect "5000.0" "$(field points.qos "$(fq-submit -t 5m true)")"
  expect "0.0" "$(field points.qos "$(fq-submit -t 5m --qos=standby true)")"
  refuses 1 "fq-submit: duration 2h requested, at most 1h allowed" fq-submit -t 2h --qos=urgent true
  check 0 "JOB" "" fq-submit -t 2h --qos=nightly true
  refuses 1 "fq-submit: QoS 'urgnt' does not exist (did you mean 'urgent'?)" fq-submit -t 5m --qos=urgnt true
  refuses 1 "fq-submit: QoS 'x' does not exist (one of expedite, nightly, normal, standby, urgent)" \
    fq-submit -t 5m --qos=x true
}

@test "PRIO.7 PRIO.29 the wait counts up to a maximum, which is shown" {
  config '[policy.priority]' 'scheme = "multifactor"' 'max-wait = "1s"'
  check 0 "QUEUE SCHEME       wait-time fair-share        qos      queue   job-size       user   max-wait
      multifactor       1000     100000      10000      10000          0       1000     1.000s" "" fq-priority weights
  config '[policy.priority]' 'scheme = "multifactor"'
  check 0 "QUEUE SCHEME       wait-time fair-share        qos      queue   job-size       user   max-wait
      multifactor       1000     100000      10000      10000          0       1000         7d" "" fq-priority weights
}

@test "a wait may count from the release of the last dependency, and a new setting orders those that wait anew" {
  fq-queue stop --quiet
  first=$(fq-submit true)
  dependent=$(fq-submit --dependency=afterany:"$first" true)
  other=$(fq-submit true)
  fq-cancel --quiet "$first" || fq-cancel "$first"
  expect "$dependent
$other" "$(fq-jobs -n -o '{id}')"
  config '[policy.priority]' 'age-from = "eligible"'
  expect "$other
$dependent" "$(fq-jobs -n -o '{id}')"
  check 0 "checked 3 jobs: sound" "" fq-fsck
  config '[policy.priority]' 'age-from = "submit"'
  expect "$dependent
$other" "$(fq-jobs -n -o '{id}')"
  check 0 "checked 3 jobs: sound" "" fq-fsck
}

@test "simulate shows the order now beside that of other weights" {
  config '[policy.priority]' 'scheme = "multifactor"' 'weights = { wait-time = 0 }'
  fq-queue stop --quiet
  fq-submit --quiet true
  fq-submit --quiet --urgency=10 -N4 true
  check 0 "       JOBID USER QUEUE    PLACE  THEN   PRIORITY       THEN
 JOB ME 2     1     110333     120333
 JOB ME 1     2     110533     113033" "" fq-priority simulate --weight job-size=10000
  printf '[policy.priority]\nscheme = "fcfs"\n' >other.toml
  check 0 "       JOBID USER QUEUE    PLACE  THEN   PRIORITY       THEN
 JOB ME 1     1     110533 4294967294
 JOB ME 2     2     110333 4294967294" "" fq-priority simulate --config other.toml
  refuses 2 "fq-priority: suppose what? --weight or --config" fq-priority simulate
  refuses 2 "fq-priority: --weight: there is no factor 'size': expected one of wait-time, fair-share, qos, queue, job-size, user" \
    fq-priority simulate --weight size=3
  refuses 2 "fq-priority: --weight: qos: expected a number, got a string" fq-priority simulate --weight qos=much
}

@test "update does what is due, at any time and many at once" {
  check 0 "nothing was due: 0 jobs running, 0 waiting" "" fq-priority update -v
  local pids=()
  for i in 1 2 3 4; do
    fq-priority update &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  check 0 "" "" fq-priority update
  check 0 "checked 0 jobs: sound" "" fq-fsck
}

@test "PRIO.5 compute: factors and weights in, priorities out, without a store" {
  unset FQ_STORE
  cat >factors.json <<'JSON'
{"factors": {"wait_time": 0.5, "fair_share": 0.29, "qos": 0.5, "queue": 1, "job_size": 0.25, "user": 0.5},
 "weights": {"wait_time": 1000, "fair_share": 100000, "qos": 10000, "queue": 0, "job_size": 400, "user": 1000}}
JSON
  check 0 "35100" "" fq-priority compute factors.json
  echo '[{"factors": {"qos": 1}}, {"factors": {}}, {"factors": {"user": 1}, "weights": {"user": 4294967294, "wait_time": 0, "fair_share": 0, "qos": 0, "queue": 0}}]' >many.json
  check 0 "10000
1
4294967294" "" fq-priority compute many.json
  echo '{"factors": {"qos": 1.5}}' >bad.json
  refuses 1 "fq-priority: factors.qos: expected a factor from 0 to 1, got 1.5" fq-priority compute bad.json
  echo '[{"factors": {"qos": 1}}, {"factors": {"qso": 1}}]' >bad.json
  refuses 1 "fq-priority: [1].factors: there is no factor 'qso': expected one of wait-time, fair-share, qos, queue, job-size, user (did you mean 'qos'?)" \
    fq-priority compute bad.json
  echo '{"weights": {}}' >bad.json
  refuses 1 "fq-priority: missing key 'factors'" fq-priority compute bad.json
  echo '{"factors": {}, "weights": {"qos": -1}}' >bad.json
  refuses 1 "fq-priority: weights.qos: expected a number from 0 to 4294967294, got -1" fq-priority compute bad.json
  echo 'nonsense' >bad.json
  run fq-priority compute bad.json
  expect 1 "$status"
  [ "${#lines[@]}" = 1 ]
}

@test "PRIO.10 PRIO.22 fair-share: a tree in, the same with factors out, without a store" {
  unset FQ_STORE
  cat >tree.json <<'JSON'
{"bank": "root", "children": [
  {"bank": "physics", "shares": 3, "children": [{"user": "ada", "shares": 1, "usage": 1200}]},
  {"bank": "biology", "shares": 1, "note": "kept", "children": [{"user": "bob", "usage": 400}, {"user": "cleo", "shares": 0, "usage": 0}]}]}
JSON
  check 0 '{"bank":"root","children":[{"bank":"physics","shares":3,"children":[{"user":"ada","shares":1,"usage":1200,"fairshare":0.5}],"fairshare":0.5},{"bank":"biology","shares":1,"note":"kept","children":[{"user":"bob","usage":400,"fairshare":0.5},{"user":"cleo","shares":0,"usage":0,"fairshare":0.0}],"fairshare":0.5}]}' \
    "" sh -c 'fq-priority fair-share tree.json | "$0" -c "import json, sys; print(json.dumps(json.load(sys.stdin), separators=(\",\", \":\")))"' "$PYTHON"
  run fq-priority fair-share --algorithm=fair-tree tree.json
  expect "2 3" "$(grep -c '"rank": 1' <<<"$output") $(grep -c rank <<<"$output")"
  refuses 2 "fq-priority: --algorithm: there is no fair-share algorithm 'tree': expected ratio or fair-tree" \
    fq-priority fair-share --algorithm=tree tree.json
  echo '{"bank": "root", "children": [{"user": "ada", "shares": -1}]}' >bad.json
  refuses 1 "fq-priority: children[0].shares: expected no negative number, got -1" fq-priority fair-share bad.json
  echo '{"bank": "root", "usage": 1, "children": [{"user": "ada", "usage": 5}]}' >bad.json
  refuses 1 "fq-priority: usage: expected at least the 5 of its children, got 1" fq-priority fair-share bad.json
  local text message
  while IFS='@' read -r text message; do
    echo "$text" >bad.json
    refuses 1 "fq-priority: $message" fq-priority fair-share bad.json
  done <<'TABLE'
{"bank": "root"}@the root has no children: expected banks or users
{"bank": "root", "children": []}@the root has no children: expected banks or users
{"bank": "root", "children": [{"user": "ada", "usage": -1}]}@children[0].usage: expected no negative number, got -1
{"bank": "root", "children": [{"user": "ada", "bank": "a"}]}@children[0]: expected a bank or a user, not both
{"bank": "root", "children": [{"user": "ada"}, {"user": "ada"}]}@children[1]: user 'ada' stands there twice
{"bank": "root", "children": [{"user": ""}]}@children[0].user: expected a name
TABLE
  echo '{"user": "ada"}' >bad.json
  refuses 1 "fq-priority: the root is a user: expected a bank" fq-priority fair-share bad.json
  echo '{"name": "ada"}' >bad.json
  refuses 1 "fq-priority: expected an object with the key 'bank' or 'user'" fq-priority fair-share bad.json
}

@test "show takes jobs, queues and formats, and says what is wrong" {
  fq-queue stop --quiet
  a=$(fq-submit true) b=$(fq-submit true)
  expect "$b 2
$a 1" "$(fq-priority show -n -o '{id} {place}' "$b" "$a")"
  expect "$a" "$(fq-priority show -n -c 1 -o '{id}')"
  refuses 1 "fq-priority: queue 'batch' does not exist: no queues are configured" fq-priority show -q batch
  refuses 2 "fq-priority: give IDs or --queue, not both" fq-priority show -q batch "$a"
  refuses 2 "fq-priority: --count: expected a number, got 'x'" fq-priority show -c x
  fq-cancel --quiet "$a" || fq-cancel "$a"
  refuses 1 "fq-priority: job JOB does not wait for resources: it is in state INACTIVE" fq-priority show "$a"
  refuses 1 "fq-priority: job f111 does not exist" fq-priority show f111
}

@test "a configuration of priorities is checked, and named by its line" {
  printf '[policy.priority]\nscheme = "multifaktor"\n' >bad.toml
  refuses 1 "fq-config: bad.toml:2: policy.priority: there is no priority scheme 'multifaktor': expected one of none, fcfs, multifactor (did you mean 'multifactor'?)" \
    fq-config load bad.toml
  printf '[policy.priority]\nscheme = "multifactor"\n[policy.priority.weights]\nfair-share = -1\n' >bad.toml
  refuses 1 "fq-config: bad.toml:4: policy.priority: weights.fair-share: expected a number from 0 to 4294967294, got -1" \
    fq-config load bad.toml
  printf '[qos."a b"]\n' >bad.toml
  refuses 1 "fq-config: bad.toml:1: qos.a b: the name of a quality of service has no blanks and none of , @ * + ^ / =" \
    fq-config load bad.toml
  # What is taken, and may not be meant.
  printf '[qos.urgent]\nallow-user = ["no-such-user"]\nallow-group = ["no-such-group"]\n[accounting]\nhalf-life = "0"\ndefault-bank = "guests"\n' >told.toml
  run fq-config load told.toml
  expect "0 fq-config: accounting.half-life: there is no decay: what was used is never forgotten
fq-config: accounting.default-bank: bank 'guests' does not exist" "$status $(grep accounting <<<"$output")"
  expect 2 "$(grep -c 'told.toml:[23]: .*no-such-' <<<"$output")"
  printf '[qos.urgent]\nfactor = 2\n' >bad.toml
  refuses 1 "fq-config: bad.toml:2: qos.urgent.factor: expected a number from 0 to 1" fq-config load bad.toml
  printf '[qos.urgent]\nexempt = ["memory"]\n' >bad.toml
  refuses 1 "fq-config: bad.toml:2: qos.urgent.exempt: there is no limit 'memory' to be exempt from: expected duration or job-size" \
    fq-config load bad.toml
}
