#!/usr/bin/env bats
# fq-config: checking, loading and showing configurations.

load helper

setup() {
  make_store 4:4:1
  cat >two.toml <<'END'
[policy]
jobspec.defaults.system.queue = "batch"
limits.duration = "8h"

[queues.batch]
hosts = "node[0-2]"

[queues.debug]
hosts = "node[2-3]"
policy.limits.duration = "30m"
END
}

TWO='{"policy":{"jobspec":{"defaults":{"system":{"queue":"batch"}}},"limits":{"duration":"8h"}},"queues":{"batch":{"hosts":"node[0-2]"},"debug":{"hosts":"node[2-3]","policy":{"limits":{"duration":"30m"}}}}}'

@test "R33.3 a configuration is loaded, shown and taken away" {
  # Loading says nothing; an empty one leaves the queue without a name.
  check 0 "{}" "" fq-config show
  check 0 "2 queues, default batch" "" fq-config check two.toml
  check 0 "{}" "" fq-config show
  check 0 "" "" fq-config load two.toml
  check 0 "$TWO" "" fq-config show
  check 0 "batch debug" "" sh -c "fq-queue list -n -o '{queue}' | xargs"
  check 0 "" "" fq-config load /dev/null
  check 0 "{}" "" fq-config show
  check 0 "no queues" "" fq-config check /dev/null
}

@test "R33.33 the file is not needed after it was loaded" {
  # Submission and listing read what is in the store.
  fq-config load two.toml
  rm two.toml
  check 0 "debug" "" fq-jobs -q all -n -o '{queue}' "$(fq-submit -q debug -t 1m true)"
}

@test "users and groups that nobody knows here are told" {
  # They stand all the same: their machine, or their day, is another. A number needs no name.
  printf '[policy]\naccess.allow-user = ["root", "4242424", "rooot"]\n[queues.a.policy.access]\nallow-group = ["nogrup", "root"]\n' >who.toml
  local told="who.toml:2: policy.access.allow-user: no user 'rooot' is known here
fq-config: who.toml:4: queues.a.policy.access.allow-group: no group 'nogrup' is known here"
  check 0 "1 queue, default a" "fq-config: $told" fq-config check who.toml
  check 0 "" "fq-config: $told" fq-config load who.toml
  check 0 '["nogrup","root"]' "" fq-config get queues.a.policy.access.allow-group
  check 0 "" "fq-init: ${told//fq-config:/fq-init:}" fq-init --quiet --store "$WORK/other" --test-nodes 1:1 --config who.toml
  # A number stands for who has no name, and only as it is written without one.
  printf '[policy]\naccess.allow-user = ["0", "4242424", "04242424"]\naccess.allow-group = ["0", "4242424"]\n' >who.toml
  check 0 "no queues" "fq-config: who.toml:2: policy.access.allow-user: user 0 is called 'root' here
fq-config: who.toml:2: policy.access.allow-user: no user '04242424' is known here
fq-config: who.toml:3: policy.access.allow-group: group 0 is called 'root' here" fq-config check who.toml
}

@test "a directory, and standard input" {
  # All *.toml by name make one configuration; other files do not count.
  mkdir conf
  head -3 two.toml >conf/10-policy.toml
  tail -n +4 two.toml >conf/20-queues.toml
  echo 'no toml' >conf/README
  check 0 "" "" fq-config load conf
  check 0 "$TWO" "" fq-config show
  echo 'limits.duration = "1h"' >conf/30-more.toml
  refuses 1 "fq-config: conf/30-more.toml:1: limits: unknown key (one of access, accounting, exec, job-manager, jobs, log, policy, qos, queues, resource)" fq-config load conf
  printf '[policy]\nlimits.duration = "1h"\n' >conf/30-more.toml
  refuses 1 "fq-config: conf/30-more.toml:2: policy.limits.duration: is set in conf/10-policy.toml:3 already" fq-config load conf
  mkdir empty
  refuses 1 "fq-config: no file in 'empty' ends with .toml" fq-config load empty
  fq-config load - <two.toml
  check 0 "$TWO" "" fq-config show
}

@test "get prints one value" {
  # As JSON; a key that is not set is a failure, unless there is something else to print.
  fq-config load two.toml
  check 0 '30m' "" fq-config get queues.debug.policy.limits.duration
  check 0 '{"hosts":"node[0-2]"}' "" fq-config get queues.batch
  refuses 1 "fq-config: key 'queues.nosuch' is not set" fq-config get queues.nosuch
  refuses 1 "fq-config: key 'quues' is not set (did you mean 'queues'?)" fq-config get quues
  refuses 1 "fq-config: key 'policy.limits.duration.x' is not set" fq-config get policy.limits.duration.x
  check 0 "none" "" fq-config get --default none queues.nosuch
}

@test "R33.4 what is wrong is named by file, line and key, and changes nothing" {
  # Neither check nor load.
  fq-config load two.toml
  sed 's/node\[2-3\]/node[2-4]/' two.toml >wrong.toml
  local verb
  for verb in check load; do
    refuses 1 "fq-config: wrong.toml:9: queues.debug.hosts: there is no node 'node4' (the nodes are node[0-3])" fq-config $verb wrong.toml
  done
  printf '[queues.a]\n[queues.b]\n' >wrong.toml
  refuses 1 "fq-config: wrong.toml:1: queues: of several queues one must be the default (policy.jobspec.defaults.system.queue = \"a\")" fq-config load wrong.toml
  printf '[queues.a\nx=1\n' >wrong.toml
  run --separate-stderr fq-config load wrong.toml
  expect 1 "$status"
  [[ $stderr == "fq-config: wrong.toml:1:1: "* ]]
  printf 'a = "\xff"\n' >wrong.toml
  refuses 1 "fq-config: wrong.toml:1: not UTF-8 text" fq-config load wrong.toml
  refuses 1 "fq-config: cannot open 'nosuch.toml': No such file or directory" fq-config load nosuch.toml
  check 0 "$TWO" "" fq-config show
}

@test "check for nodes that are in no store yet" {
  # --R names them.
  unset FQ_STORE
  fq-R encode -r 0-7 -c 0-3 -H 'n[0-7]' -p gpu:4-7 >R.json
  printf '[queues.gpu]\nrequires = ["gpu"]\n' >gpu.toml
  check 0 "1 queue, default gpu" "" fq-config check --R R.json gpu.toml
  printf '[queues.gpu]\nrequires = ["gpus"]\n' >gpu.toml
  refuses 1 "fq-config: gpu.toml:2: queues.gpu.requires: no node has the property 'gpus' (did you mean 'gpu'?)" fq-config check --R R.json gpu.toml
}

@test "jobs of queues that are gone" {
  # Refused, unless it is forced; then said, and they wait.
  fq-config load two.toml
  local waiting
  submit_held job -t 1h -N2 >running
  running job
  waiting=$(fq-submit -t 1h -N3 true)
  printf '[queues.debug]\nhosts = "node3"\n' >one.toml
  refuses 1 "fq-config: queue 'batch' would be gone, and 1 job waits in it (--force lets them wait until it is back or they are moved: fq update ID queue=NAME)" fq-config load one.toml
  check 0 "1 queue, default debug" "fq-config: queue 'batch' would be gone: 2 jobs in it, 1 running (fq config load wants --force for that)" fq-config check one.toml
  check 0 "" "fq-config: queue 'batch' is gone: 2 jobs in it, 1 running" fq-config load --force one.toml
  release job
  ended "$(cat running)"
  check 0 "$waiting: queue 'batch' does not exist" "" fq-job why "$waiting"
  check 0 "S" "" fq-jobs -q batch -n -o '{status_abbrev}'
  fq-config load two.toml
  check 0 "" "" fq-job wait "$waiting"
}

@test "ten thousand queues" {
  # Loaded, listed and used; a second is what a loaded machine may take many times over.
  "$PYTHON" - >many.toml <<'END'
print('policy.jobspec.defaults.system.queue = "q0"')
for i in range(10000):
    print(f'[queues.q{i}]\nhosts = "node{i % 4}"\npolicy.limits.duration = "{i + 1}m"')
END
  check 0 "10000 queues, default q0" "" fq-config check many.toml
  fq-config load many.toml
  refuses 1 "fq-submit: queue 'q77': duration 2h requested, at most 1.3h allowed" fq-submit -q q77 -t 2h true
  check 0 "node3" "" fq-jobs -q all -n -o '{nodelist}' "$(fq-submit -q q9999 -t 1h true)"
}

@test "wrong operands" {
  # No command, no file, two files, no key.
  refuses 2 "fq-config: which command? (one of check, load, get, show)" fq-config
  refuses 2 "fq-config: FILE|DIR is missing (usage: fq-config check [OPTION...] FILE|DIR)" fq-config check
  expect "fq-config: which configuration? give a file or a directory (-: standard input)
exit 2" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-config load)"
  refuses 2 "fq-config: unexpected operand 'b'" fq-config check a b
}

@test "get --type refuses other types and prints durations in seconds" {
  # Text is printed as it is; without a key all is printed.
  printf 'policy.limits.duration = "1.5h"\npolicy.limits.job-size.max.nnodes = 2\npolicy.access.allow-user = ["root"]\n' >site.toml
  fq-config load site.toml
  check 0 "1.5h" "" fq-config get policy.limits.duration
  check 0 "1.5h" "" fq-config get --type=string policy.limits.duration
  check 0 "1.5h" "" fq-config get -t fsd policy.limits.duration
  check 0 "5400" "" fq-config get --type=fsd-integer policy.limits.duration
  check 0 "5400.000000" "" fq-config get --type=fsd-real policy.limits.duration
  check 0 "2" "" fq-config get --type=integer policy.limits.job-size.max.nnodes
  check 0 '["root"]' "" fq-config get --type=array policy.access.allow-user
  check 0 '{"max":{"nnodes":2}}' "" fq-config get --type=object policy.limits.job-size
  check 0 "$(fq-config show)" "" fq-config get
  refuses 1 "fq-config: key 'policy.limits.duration' is no integer: \"1.5h\"" fq-config get --type=integer policy.limits.duration
  refuses 1 "fq-config: key 'policy.limits.job-size.max.nnodes' is no fsd: 2" fq-config get --type=fsd policy.limits.job-size.max.nnodes
  refuses 2 "fq-config: --type: there is no type 'oops' (one of string, integer, real, boolean, object, array, fsd, fsd-integer, fsd-real)" fq-config get --type=oops policy
  check 1 "" "" fq-config get -q nosuch
  check 0 "7" "" fq-config get -q -d 7 nosuch
}

@test "a configuration in JSON is loaded as one in TOML" {
  # What show prints, from standard input, which is read where no file is named.
  printf 'policy.jobspec.defaults.system.queue = "a"\nqueues.a.hosts = "node[0-1]"\nqueues.b = {}\n' >site.toml
  fq-config load site.toml
  fq-config show >site.json
  refuses 1 "fq-config: standard input: it is empty (/dev/null is a configuration without queues)" fq-config load
  refuses 1 "fq-config: standard input: it is empty (/dev/null is a configuration without queues)" fq-config check -
  fq-config load /dev/null
  check 0 "{}" "" fq-config show
  check 0 "" "" sh -c 'fq-config load <site.json'
  check 0 "$(cat site.json)" "" fq-config show
  check 0 "" "" sh -c 'fq-config show | fq-config load -'
  check 0 "" "" fq-config load site.json
  printf '{"queues": {"a": {"hots": "node0"}}}' >wrong.json
  refuses 1 "fq-config: wrong.json: queues.a.hots: unknown key (did you mean 'hosts'?)" fq-config load wrong.json
  printf '{"queues": null}' >wrong.json
  refuses 1 "fq-config: wrong.json: queues: expected a table, got null" fq-config load wrong.json
  printf '{"queues": ' >wrong.json
  run --separate-stderr fq-config load wrong.json
  expect "1 1" "$status ${#stderr_lines[@]}"
  [[ $stderr == "fq-config: wrong.json: "* ]]
  check 0 "$(cat site.json)" "" fq-config show
}

@test "how long jobs are kept may stand in Flux's table" {
  # job-manager, of which nothing else is known.
  printf '[job-manager]\ninactive-age-limit = "30d"\ninactive-num-limit = 5\n' >flux.toml
  check 0 "" "" fq-config load flux.toml
  check 0 "30d" "" fq-config get job-manager.inactive-age-limit
  printf '[job-manager]\nplugins = 1\n' >flux.toml
  refuses 1 "fq-config: flux.toml:2: job-manager.plugins: unknown key (one of epilog, housekeeping, inactive-age-limit, inactive-num-limit, prolog)" fq-config load flux.toml
}
