#!/usr/bin/env bats
# The tables of a configuration beside queues and policy: resource, exec, jobs.

load helper

setup() {
  make_store 2:2
  cat >nodes.toml <<'TOML'
[[resource.config]]
hosts = "n[0-3]"
cores = "0-3"

[[resource.config]]
hosts = "n[2-3]"
gpus = "0"
properties = ["gpu"]

[queues.gpu]
requires = ["gpu"]
TOML
}

@test "R33.21 a store is made with the nodes of a configuration" {
  # In one step, properties and queues included.
  check 0 "store     $WORK/new
nodes     4 (n[0-3])
cores     16
gpus      2
use it    export FQ_STORE=$WORK/new
at boot   crontab: @reboot $FQ_BIN_DIR/fq-tick --store $WORK/new" "" fq-init --store "$WORK/new" --config nodes.toml
  STORE=$WORK/new FQ_STORE=$WORK/new
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}},{"rank":"2-3","children":{"core":"0-3","gpu":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["n[0-3]"],"properties":{"gpu":"2-3"}}}' "" fq-resource R
  check 0 "n[2-3]" "" fq-jobs -n -o '{nodelist}' "$(fq-submit --wait-event=start -N2 true)"
  refuses 1 "fq-resource: the configuration in force gives the nodes (change its table resource: fq config load)" fq-resource reload <(fq-resource R)
  refuses 2 "fq-init: the configuration gives the nodes: leave out --R, --test-nodes and --gpus" fq-init --store "$WORK/x" --config nodes.toml --test-nodes 1:1
  check 0 "1 queue, default gpu" "" env -u FQ_STORE fq-config check nodes.toml
}

@test "a configuration that is wrong makes no store" {
  # Nor anything else.
  sed -i 's/gpu"\]$/fast"]/' nodes.toml
  sed -i '0,/fast/s//gpu/' nodes.toml
  refuses 1 "fq-init: nodes.toml:11: queues.gpu.requires: no node has the property 'fast'" fq-init --store "$WORK/new" --config nodes.toml
  [ ! -e new ]
}

@test "nodes come from a file beside the configuration" {
  # It is read when the configuration is loaded.
  mkdir conf
  fq-R encode -r 0-2 -c 0-1 -H 'f[1-3]' -p big:2 >conf/R.json
  printf '[resource]\npath = "R.json"\nexclude = "f2"\n' >conf/fq.toml
  check 0 "" "" fq-config load conf
  rm conf/R.json
  check 0 "      avail  ✔      2 f[1,3]
    exclude  ✔      1 f2" "" fq-resource status -n
  check 0 "2 Nodes, 4 Cores, 0 GPUs" "" fq-resource info
  refuses 1 "fq-config: conf/fq.toml:2: resource.path: cannot open 'conf/R.json': No such file or directory" fq-config load conf
}

@test "R20.19 what a scheduler wants to know of the nodes rides along" {
  # From a file beside the configuration, whatever becomes of the nodes.
  local scheduling='"scheduling":{"graph":[1,2],"writer":"file:site"}'
  echo '{"writer": "file:site", "graph": [1, 2]}' >jgf.json
  sed -i '1i [resource]\nscheduling = "jgf.json"\n' nodes.toml
  fq-config load nodes.toml
  check 0 "$scheduling" "" sh -c "fq-resource R | grep -o '\"scheduling.*}' | sed 's/}$//'"
  check 0 "" "" fq-job wait "$(fq-submit -N1 true)"
  rm jgf.json
  refuses 1 "fq-config: nodes.toml:2: resource.scheduling: cannot open 'jgf.json': No such file or directory" fq-config load nodes.toml
  check 0 "$scheduling" "" sh -c "fq-resource R | grep -o '\"scheduling.*}' | sed 's/}$//'"
}

@test "what is said of this machine is compared with it" {
  # It has fewer cores than that; unless the configuration says that it knows better.
  local host
  host=$(fq-R decode --nodelist < <(fq-R encode --local))
  printf '[[resource.config]]\nhosts = "%s"\ncores = "0,9000-9001"\n' "$host" >mine.toml
  refuses 1 "fq-config: mine.toml:1: resource.config: host '$host' is this machine, which does not have core[9000-9001] (resource.noverify = true lets it stand)" fq-config load mine.toml
  refuses 1 "fq-init: mine.toml:1: resource.config: host '$host' is this machine, which does not have core[9000-9001] (resource.noverify = true lets it stand)" fq-init --store "$WORK/new" --config mine.toml
  echo 'resource.noverify = true' >knows.toml
  mkdir conf
  mv mine.toml knows.toml conf
  check 0 "" "" fq-config load conf
  check 0 "1 Node, 3 Cores, 0 GPUs" "" fq-resource info
}

@test "cores count to which fq init is not bound, if the configuration says so" {
  # A store is then made for the whole machine from wherever.
  local first
  first=$(taskset -pc $$ | sed 's/.*: *//; s/[,-].*//')
  echo 'resource.norestrict = true' >whole.toml
  taskset -c "$first" fq-init --quiet --store "$WORK/part"
  taskset -c "$first" fq-init --quiet --store "$WORK/whole" --config whole.toml
  fq-init --quiet --store "$WORK/free"
  expect 1 "$(fq-resource info --store "$WORK/part" | sed 's/.*, \([0-9]*\) Core.*/\1/')"
  expect "$(fq-resource info --store "$WORK/free")" "$(fq-resource info --store "$WORK/whole")"
}

@test "nodes are replaced while jobs run" {
  # Those that only jobs hold go with them; the command says so.
  submit_held job -N1 >id
  running job
  check 0 "" "fq-config: the queue without a name is gone: 1 job in it, 1 running
fq-config: jobs still run on node0: gone when they have ended" fq-config load nodes.toml
  check 0 "      avail  ✔      4 n[0-3]
    leaving  ✔      1 node0" "" fq-resource status -n
  release job
  ended "$(cat id)"
  check 0 "      avail  ✔      4 n[0-3]" "" fq-resource status -n
}

@test "excluded nodes run nothing" {
  # What needs them is refused; they are back with the next configuration.
  echo 'resource.exclude = "1"' >out.toml
  fq-resource drain node1 "bad disk"
  check 0 "" "fq-config: resource.exclude: node1 is drained no more: what is excluded runs no jobs as it is" fq-config load out.toml
  refuses 1 "fq-submit: unsatisfiable request: 2 exclusive nodes requested, the inventory has 1" fq-submit -N2 true
  refuses 1 "fq-resource: node node1 is excluded (resource.exclude in the configuration keeps it from jobs already)" \
    fq-resource drain node1
  echo 'resource.exclude = "0-1"' >out.toml
  refuses 1 "fq-config: out.toml:1: resource.exclude: no nodes would be left" fq-config load out.toml
  fq-config load /dev/null
  check 0 "" "" fq-job wait "$(fq-submit -N2 true)"
}

# traps COMMAND: prints the id of a job that does COMMAND when it gets USR1 and TERM, and runs on.
traps() {
  mkfifo up
  fq-submit sh -c "trap '$1' USR1; trap '' TERM; echo >up; while :; do sleep 1000 & wait \$!; done"
  timeout "$LIMIT" cat up >/dev/null
  rm up
}
@test "exec: the signal that asks, and how long the answer may take" {
  # A job that takes the signal ends by itself; one that does not is killed.
  local id
  printf '[exec]\nterm-signal = "USR1"\nkill-timeout = "1h"\n' >exec.toml
  fq-config load exec.toml
  id=$(traps 'echo told; exit 0')
  fq-cancel --quiet "$id"
  check 1 "told" "fq-job: canceled" fq-job attach "$id"
  sed -i 's/1h/10ms/' exec.toml
  fq-config load exec.toml
  id=$(traps 'echo told')
  fq-cancel --quiet "$id"
  ended "$id"
  check 0 "9" "" sh -c "fq-job info $id eventlog | sed -n 's/.*\"finish\".*\"status\": *\([0-9]*\).*/\1/p' | awk '{print \$1 / 256 - 128}'"
}

@test "exec: what cannot be killed takes its node out of use" {
  # After so many times the job ends, with what is left of it; others get other nodes.
  local id pid
  printf '[exec]\nkill-timeout = "10ms"\nkill-signal = "USR2"\nmax-kill-count = 2\n' >exec.toml
  fq-config load exec.toml
  mkfifo up
  id=$(fq-submit -N1 sh -c "trap '' TERM USR2; echo \$\$ >up; exec sleep 1000")
  pid=$(timeout "$LIMIT" cat up)
  fq-cancel --quiet "$id"
  MASK='s/^[0-9]+\.[0-9]+s/T/' check 140 "" "T: job.exception $id type=unkillable severity=1 1 process was left after 2 kill attempts
fq-job: canceled" fq-job attach "$id"
  check 0 'exception type="unkillable" severity=1 note="1 process was left after 2 kill attempts"' "" sh -c "fq-job eventlog $id | sed -n 's/.*\(exception type=\"unk.*\)/\1/p'"
  check 0 "      avail  ✔      1 node1
    drained  ✔      1 node0" "" fq-resource status -n
  check 0 "unkillable user processes for job $id" "" fq-resource drain -n -o '{reason}'
  check 0 "node1" "" fq-jobs -n -o '{nodelist}' "$(fq-submit --wait-event=start -N1 true)"
  kill -KILL "$pid" 2>/dev/null || true # it may have ended with its shell
  fq-resource undrain 0
}

@test "jobs: fq job purge without limits uses those of the configuration" {
  # By number here; there must be some.
  ended "$(fq-submit true)"
  ended "$(fq-submit true)"
  echo 'jobs.inactive-num-limit = 1' >jobs.toml
  fq-config load jobs.toml
  check 0 "would purge 1 job, 1 inactive left (-f does)" "" fq-job purge
  check 0 "purged 1 job, 1 inactive left" "" fq-job purge -f
}

@test "there are no keys that mean nothing" {
  # Tables and keys of Flux that this does not know are refused by name.
  local row
  while IFS='|' read -r text message; do
    echo "$text" >bad.toml
    refuses 1 "fq-config: bad.toml:1: $message" fq-config load bad.toml
  done <<'TABLE'
accounting.priority.factors.fairshare = 1|accounting: unknown key 'priority'
accounting.half-live = "1d"|accounting: unknown key 'half-live' (did you mean 'half-life'?)
accounting.half-life = "-1d"|accounting: half-life: invalid duration '-1d': a duration cannot be negative ("0" where usage is never to be forgotten)
accounting.fair-share = "fairtree"|accounting: fair-share: there is no fair-share algorithm 'fairtree': expected ratio or fair-tree (did you mean 'fair-tree'?)
accounting.usage-weights = { cpu = 1 }|accounting: usage-weights: there is no resource 'cpu': expected one of core, gpu, node, memory, energy (did you mean 'gpu'?)
accounting.usage-weights = { core = -1 }|accounting: usage-weights.core: expected a number from 0 to 1000000000, got -1
accounting.usage-weights = { core = 0 }|accounting: usage-weights: one of the weights must be more than 0
accounting.default-bank = "a b"|accounting: default-bank: the name of a bank has no blanks, no quotes and none of , | : = /
policy.priority.scheme = "multifaktor"|policy.priority: there is no priority scheme 'multifaktor': expected one of none, fcfs, multifactor (did you mean 'multifactor'?)
policy.priority.wieghts = {}|policy.priority: unknown key 'wieghts' (did you mean 'weights'?)
resource.reserve = "0"|resource.reserve: unknown key (one of config, exclude, norestrict, noverify, path, scheduling)
jobs.inactive-age-limi = "1d"|jobs.inactive-age-limi: unknown key (did you mean 'inactive-age-limit'?)
TABLE
  check 0 "{}" "" fq-config show
}
