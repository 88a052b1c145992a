#!/usr/bin/env bats
# Configurations, inventories and queue names as nobody should write them: one clear line, and nothing changes.

load helper

setup() {
  make_store 2:2
  fq-config load /dev/null
}

# wrong MESSAGE: bad.toml is refused by check and by load, in one line.
wrong() {
  local verb
  for verb in check load; do
    refuses 1 "fq-config: bad.toml:$1" fq-config $verb bad.toml
  done
  check 0 "{}" "" fq-config show
}

@test "R33.33 syntax errors have line and column" {
  # And the words of what is wrong there.
  local row
  while IFS='|' read -r text message; do
    printf "$text" >bad.toml
    wrong "$message"
  done <<'TABLE'
[queues.a\n|1:1: the name of the table is not closed by ']'
[policy]\nx\n|2:2: missing key-value separator `=`
[policy]\n\nlimits.duration = 1h\n|3:20: invalid line format
a = 1\na = 2\n|2:5: value ("a") already exists
TABLE
}

@test "what is no text of a configuration" {
  # No UTF-8, zeros, nesting without end, keys without end, numbers and dates that nothing takes.
  printf '[queues.a]\nhosts = "\xc3\x28"\n' >bad.toml
  wrong "2: not UTF-8 text"
  printf 'a = 1\nb = "\0"\n' >bad.toml
  wrong "2: not UTF-8 text"
  "$PYTHON" -c 'print("a = " + "[" * 100000)' >bad.toml
  wrong "1: nested more than 32 levels deep"
  "$PYTHON" -c 'print("a." * 100000 + "b = 1")' >bad.toml
  wrong "1: nested more than 32 levels deep"
  printf 'a = inf\n' >bad.toml
  wrong "1: the number is not finite"
  printf 'a = 2026-12-24\n' >bad.toml
  wrong '1: no key takes a date or a time (durations are texts: "1h")'
}

@test "messages about any key are one line" {
  # Whatever it is made of: a newline, what would colour a terminal.
  printf '[queues."a\\nb"]\n' >bad.toml
  wrong '1: queues.a\nb: the name of a queue has no blanks and none of , @ * + ^ / ='
  printf '"\\u001b[31m" = 1\n' >bad.toml
  wrong '1: \x1b[31m: unknown key (one of access, accounting, exec, job-manager, jobs, log, policy, qos, queues, resource)'
  refuses 1 "fq-submit: queue 'a\\nb' does not exist: the name of a queue has no blanks and none of , @ * + ^ / =" fq-submit -q $'a\nb' true
}

@test "hosts that are named twice, ranks out of order" {
  # In queues, in nodes, in inventories.
  printf '[queues.a]\nhosts = "node[0-1],node0"\n' >bad.toml
  wrong "2: queues.a.hosts: a host is named twice"
  printf '[[resource.config]]\nhosts = "n[0-1],n1"\ncores = "0"\n' >bad.toml
  wrong "2: resource.config[0].hosts: a host is named twice"
  printf '[[resource.config]]\nhosts = "n0"\ncores = "3,1"\n' >bad.toml
  wrong "3: resource.config[0].cores: invalid idset '3,1': ids must ascend, but 1 follows 3 at character 3"
  echo '{"version":1,"execution":{"R_lite":[{"rank":"1-0","children":{"core":"0"}}],"nodelist":["a[0-1]"]}}' >R.json
  refuses 1 "fq-resource: R: execution.R_lite[0].rank: invalid idset '1-0': range '1-0' does not ascend at character 1" fq-resource reload R.json
  echo '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0"}}],"nodelist":["a,a"]}}' >R.json
  refuses 1 "fq-resource: R: host 'a' is named twice" fq-resource reload R.json
  echo '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}' >R.json
  refuses 1 "fq-resource: R: execution.R_lite: expected at least one entry" fq-resource reload R.json
  check 0 "2 Nodes, 4 Cores, 0 GPUs" "" fq-resource info
}

# within COMMAND...: runs it and fails when it takes more than 64 MiB.
within() {
  "$PYTHON" - "$@" <<'PY'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if code or peak > 64 * 1024:
    sys.exit(f"{sys.argv[1:]}: exit {code}, {peak // 1024} MiB")
PY
}

# bats test_tags=footprint
@test "R33.40 ten thousand queues take less than 64 MiB" {
  # To load, and for every command that has to do with them.
  "$PYTHON" - >many.toml <<'PY'
print('policy.jobspec.defaults.system = { queue = "q0", duration = "1m" }')
for i in range(10000):
    print(f'[queues.q{i}]\nhosts = "node{i % 2}"\npolicy.limits = {{ duration = "{i + 1}m", job-size.max.nnodes = 1 }}')
PY
  within fq-config load many.toml
  within fq-config show
  within fq-queue list
  within fq-queue status
  within fq-queue stop --all --quiet
  within fq-submit --quiet -q q7 true
  within fq-queue start --all --quiet
  within fq-resource list
  within fq-resource status
  within fq-jobs
  within fq-jobs -q all
}
