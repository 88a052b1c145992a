#!/usr/bin/env bats
# fq-resource: what there is and what is free.

load helper

setup() { make_store 3:2:1; }

@test "all is free at first" {
  # Columns are Flux's but for QUEUE.
  check 0 "     STATE NNODES NCORES NGPUS NODELIST
      free      3      6     3 node[0-2]
 allocated      0      0     0 
      down      0      0     0 " "" fq-resource list
}

@test "a running job's resources are allocated until it ends" {
  # A node that is partly used counts as free and as allocated.
  local id
  id=$(submit_held job -N2 -n2 -g1)
  running job
  check 0 "free 3 4 1 node[0-2]
allocated 2 2 2 node[0-1]
down 0 0 0 " "" fq-resource list -n -o '{state} {nnodes} {ncores} {ngpus} {nodelist}'
  release job
  ended "$id"
  check 0 "allocated 0 0 0 " "" sh -c "fq-resource list -n -o '{state} {nnodes} {ncores} {ngpus} {nodelist}' | grep ^alloc"
}

@test "an exclusive job takes whole nodes" {
  # -N1 alone: both cores are allocated.
  local id
  id=$(submit_held job -N1)
  running job
  check 0 "free 2 4 node[1-2]
allocated 1 2 node0
down 0 0 " "" fq-resource list -n -o '{state} {nnodes} {ncores} {nodelist}'
  release job
}

@test "R20.1-9 R prints the inventory" {
  # Version 1, without nslots, without times.
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-1","gpu":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["node[0-2]"]}}' "" \
    fq-resource R
}

@test "R can make another store" {
  # What R prints, init reads.
  fq-resource R >R.json
  fq-init --quiet --store "$WORK/second" --R R.json
  check 0 "$(cat R.json)" "" fq-resource R --store "$WORK/second"
}

@test "--json is valid JSON" {
  # One object a state.
  expect "free 6 allocated 0 down 0" "$(fq-resource list --json | "$PYTHON" -c '
import json, sys
print(*[r["state"] + " " + str(r["ncores"]) for r in json.load(sys.stdin)["resources"]])')"
}

@test "formats and sort" {
  # Fields, named formats, -n.
  check 0 "STATE NCORES
free 6
allocated 0
down 0" "" fq-resource list -o '{state} {ncores}'
  check 0 "allocated	0
down	0
free	6" "" fq-resource list -n --sort=state -o $'{state}\t{ncores}'
  refuses 2 "fq-resource: sort key 'nosuch': no such field" fq-resource list --sort=nosuch
  refuses 2 "fq-resource: format: character 2: unknown field 'nosuch'" fq-resource list -o '{nosuch}'
  refuses 2 "fq-resource: unknown format 'nosuch' (-o help lists formats and fields)" fq-resource list -o nosuch
  FQ_STORE=/nonexistent run fq-resource list -o help
  expect 0 "$status"
}

@test "list shows what is asked for" {
  # States, queues, nodes; cores and gpus by their ids.
  printf 'policy.jobspec.defaults.system.queue = "a"\nqueues.a.hosts = "node[0-1]"\nqueues.b.hosts = "node2"\n' >two.toml
  fq-config load two.toml
  check 0 "     STATE QUEUE NNODES NCORES NGPUS LIST
      free b          1      2     1 rank2/core[0-1],gpu0" "" fq-resource list -s free -q b -o rlist
  check 0 "free a 1 1
free b 2 1" "" fq-resource list -n --states=free,down -i 'node[1-2]' -o '{state} {queue} {ranks} {nnodes}'
  check 0 "free a 1 1
free b 2 1
down a  0
down b  0" "" fq-resource list -n --no-skip-empty --states=free,down -i 'node[1-2]' -o '{state} {queue} {ranks} {nnodes}'
  refuses 2 "fq-resource: there is no state 'idle' (valid states: free, allocated, down, up, all)" fq-resource list -s idle
  refuses 1 "fq-resource: queue 'bb' does not exist (did you mean 'b'?)" fq-resource list -q bb
  refuses 1 "fq-resource: there is no node 'node7' (the nodes are node[0-2])" fq-resource list -i node7
}

@test "rows are those of the same properties, and what is not shown makes none" {
  # Names of queues are left out of propertiesx, those that queues give to their hosts of both.
  fq-R encode -r 0-3 -c 0-1 -H 'n[0-3]' -p fast:0-1 -p big:1 -p a:0-2 >R.json
  fq-resource reload R.json
  printf 'policy.jobspec.defaults.system.queue = "a"\nqueues.a.requires = ["a"]\nqueues.b.hosts = "n[2-3]"\nqueues.c.parent = "a"\n' >queues.toml
  fq-config load queues.toml
  fq-resource drain n0
  check 0 "     STATE QUEUE PROPERTIES NNODES NCORES NGPUS NODELIST
      free a     big,fast        1      2     0 n1
      free a                     1      2     0 n2
      free b                     2      4     0 n[2-3]
 allocated a                     0      0     0 
 allocated b                     0      0     0 
      down a     fast            1      2     0 n0
      down b                     0      0     0 " "" fq-resource list
  check 0 "a,fast n0
a,big,fast n1
a n2
 n3" "" fq-resource list -n -s all -o '{properties} {nodelist}'
  check 0 "c a,big,fast 1
c a 1" "" fq-resource list -n -s up -q c -o '{queue} {properties} {nnodes}'
  check 0 "4 n[0-3]" "" fq-resource list -n -o '{nnodes} {nodelist}'
  check 0 '[["a", ["a", "fast"], "n0"], ["b", null, ""]]' "" sh -c "fq-resource list -s down --json | '$PYTHON' -c '
import json, sys
print(json.dumps([[r.get(\"queue\"), r.get(\"properties\"), r[\"nodelist\"]] for r in json.load(sys.stdin)[\"resources\"]]))'"
}

@test "the other commands take the same choice" {
  # info and R by state, status and drain by what administrators have made of the nodes.
  printf 'policy.jobspec.defaults.system.queue = "a"\nqueues.a.hosts = "node[0-1]"\nqueues.b.hosts = "node[1-2]"\nresource.exclude = "node2"\n' >two.toml
  submit_held job -N1 >id
  running job
  fq-config load two.toml 2>/dev/null
  fq-resource drain 1 fan
  check 0 "1 Node, 2 Cores, 1 GPU" "" fq-resource info -q b
  check 0 "1 Node, 2 Cores, 1 GPU" "" fq-resource info -s allocated
  check 0 "0 Nodes, 0 Cores, 0 GPUs" "" fq-resource info -s free
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"1","children":{"core":"0-1","gpu":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["node1"],"properties":{"+a":"1","+b":"1"}}}' "" fq-resource R -s down
  check 0 "    exclude  ✔      1 node2
    drained  ✔      1 node1" "" fq-resource status -n -q b -s exclude,drained
  check 0 "      avail  ✔      0 
      drain  ✔      1 node1
  allocated  ✔      0 " "" fq-resource status -n -i node1 -s drain,allocated,avail
  check 0 "drained online node1" "" fq-resource status -n -s drained -o '{statex} {status} {nodelist}'
  check 0 "node1" "" fq-resource drain -n -q b -o '{nodelist}'
  check 0 "" "" fq-resource drain -n -i 0
  refuses 2 "fq-resource: there is no state 'up' (valid states: avail, exclude, drain, draining, drained, leaving, allocated, online, offline, all)" fq-resource status -s up
  refuses 2 "fq-resource: there is no state 'drained' (valid states: free, allocated, down, up, all)" fq-resource R -s drained
  refuses 2 "fq-resource: --queue and --include choose from the list of drained nodes: name no nodes" fq-resource drain -q a node0
  release job
  ended "$(cat id)"
}

@test "status tells drained nodes apart where it tells since when or why" {
  # Those of the same time and reason share a line; else all of a state do. -s names states, --skip-empty leaves out lines without nodes.
  fq-resource drain 0-1 broken fan
  fq-resource drain -f 1 noise
  MASK='s/[0-9]{10}\.[0-9]+/TIME/'
  check 0 "avail   node2
drained TIME broken fan node0
drained TIME noise node1" "" fq-resource status -n -o '{state} {timestamp} {reason} {nodelist}'
  check 0 "avail node2
drained node[0-1]" "" fq-resource status -n -o '{state} {nodelist}'
  check 0 "      avail  ✔      1            node2
    drained  ✔      1 broken fan node0
    drained  ✔      1 noise      node1" "" fq-resource status -n -o long
  check 0 "      avail  ✔      1 node2
    exclude  ✔      0 
   draining  ✔      0 
    drained  ✔      2 node[0-1]
    leaving  ✔      0 
  allocated  ✔      0 " "" fq-resource status -n -s all
  check 0 "      avail  ✔      1 node2
    drained  ✔      2 node[0-1]" "" fq-resource status -n -s online
  check 0 "    drained  ✔      2 node[0-1]" "" fq-resource status -n -s drained,exclude --skip-empty
  check 0 "valid states: avail, exclude, drain, draining, drained, leaving, allocated, online, offline, all" "" fq-resource status -s help
  check 0 "valid states: free, allocated, down, up, all" "" fq-resource list -s help
  check 0 "[['broken fan', 'node0'], ['noise', 'node1']]" "" sh -c "fq-resource status --json -s drained | '$PYTHON' -c '
import json, sys
print([[n[\"reason\"], n[\"nodelist\"]] for n in json.load(sys.stdin)[\"nodes\"]])'"
}

@test "a reason can be added, -ff renews the time, undrain takes a reason" {
  # The time stays with -f alone; both reasons are in the store's event log.
  local first
  fq-resource drain 1
  first=$(fq-resource drain -n -o '{timestamp}')
  refuses 1 "fq-resource: node node1 is drained already (--force replaces the reason, --update passes them over)" fq-resource drain 1
  check 0 "" "" fq-resource drain 1 broken fan
  refuses 1 "fq-resource: node node1 is drained already (--force replaces the reason, --update passes them over)" fq-resource drain 0-1 other
  check 0 "" "" fq-resource drain -f 1 noise
  check 0 "$first noise" "" fq-resource drain -n -o '{timestamp} {reason}'
  check 0 "" "" fq-resource drain -ff 1 smoke
  run fq-resource drain -n -o '{timestamp} {reason}'
  [[ $output == *" smoke" && $output != "$first smoke" ]]
  check 0 "" "" fq-resource undrain 1 new fan
  check 0 "" "" fq-resource drain -n
}

@test "an excluded node is not drained, and cannot be" {
  # One that was drained before is so no more, also once the configuration lets it in again.
  fq-resource drain 2 broken fan
  printf 'resource.exclude = "node2"\n' >out.toml
  fq-config load out.toml
  check 0 "" "" fq-resource drain -n
  check 0 "      avail  ✔      2 node[0-1]
    exclude  ✔      1 node2" "" fq-resource status -n
  refuses 1 "fq-resource: node node2 is excluded (resource.exclude in the configuration keeps it from jobs already)" fq-resource drain -f 2
  refuses 1 "fq-resource: node node2 is excluded (resource.exclude in the configuration keeps it from jobs already)" fq-resource drain 'node[1-2]'
  printf '' >in.toml
  fq-config load in.toml
  check 0 "      avail  ✔      3 node[0-2]" "" fq-resource status -n
}

@test "the environment names formats that are used without -o" {
  # FQ_… goes before FLUX_…, and -o before both.
  fq-resource drain 1 fan
  FQ_RESOURCE_LIST_FORMAT_DEFAULT=rlist check 0 "     STATE NNODES NCORES NGPUS LIST" "" sh -c 'fq-resource list | head -n 1'
  FLUX_RESOURCE_STATUS_FORMAT_DEFAULT='{ranks} {reason}' check 0 "0,2 
1 fan" "" fq-resource status -n
  FLUX_RESOURCE_DRAIN_FORMAT_DEFAULT='{ranks}' FQ_RESOURCE_DRAIN_FORMAT_DEFAULT='{reason}' check 0 "fan" "" fq-resource drain -n
  FQ_RESOURCE_DRAIN_FORMAT_DEFAULT='{ranks}' check 0 "node1" "" fq-resource drain -n -o '{nodelist}'
}

@test "wrong operands" {
  # No verb, an unknown verb, an operand too many.
  refuses 2 "fq-resource: which command? (one of list, status, info, drain, undrain, reserve, reservations, cancel-reservation, who, reload, R)" fq-resource
  refuses 2 "fq-resource: there is no command 'lst' (did you mean 'list'?)" fq-resource lst
  refuses 2 "fq-resource: unexpected operand 'x'" fq-resource list x
  refuses 2 "fq-resource: unexpected operand 'x'" fq-resource R x
}

@test "drained nodes take no new jobs and keep those that they have" {
  # A job that fits the others starts; one that needs the drained node waits, and starts when it is back.
  local id
  submit_held job >held
  running job
  check 0 "" "" fq-resource drain 'node[0-1]' broken fan
  check 0 "      STATE UP NNODES NODELIST
      avail  ✔      1 node2
   draining  ✔      1 node0
    drained  ✔      1 node1" "" fq-resource status
  check 0 "free 1 2 node2
allocated 1 1 node0
down 2 3 node[0-1]" "" fq-resource list -n -o '{state} {nnodes} {ncores} {nodelist}'
  id=$(fq-submit -N2 true)
  check 0 "node2" "" fq-jobs -n -o '{nodelist}' "$(fq-submit --wait-event=start true)"
  MASK='s/since [^a-z]* by [a-z0-9-]+:/since TIME by USER:/' check 0 "$id: it is the next job in the queue
$id: node[0-1] are drained since TIME by USER: broken fan
$id: waiting for nodes that are down or drained: 2 exclusive nodes with 1 core each requested, 1 of 3 up" "" fq-job why "$id"
  release job
  ended "$(cat held)"
  check 0 "      avail  ✔      1 node2
    drained  ✔      2 node[0-1]" "" fq-resource status -n
  check 0 "" "" fq-resource undrain node1
  check 0 "" "" fq-job wait "$id"
}

@test "drain lists what is drained, since when and why" {
  # Nodes of the same time and reason share a line; --force replaces a reason, --update keeps it.
  check 0 "TIME         STATE    REASON NODELIST" "" fq-resource drain
  fq-resource drain 0-1 broken fan
  MASK='s/^[A-Z][a-z]{2}[0-9]{2} [0-9]{2}:[0-9]{2}/TIME/'
  check 0 "TIME         STATE    REASON     NODELIST
TIME  drained  broken fan node[0-1]" "" fq-resource drain
  refuses 1 "fq-resource: nodes node[0-1] are drained already (--force replaces the reason, --update passes them over)" fq-resource drain 0-2 new
  check 0 "" "" fq-resource drain --update 0-2 new
  check 0 "" "" fq-resource drain --force 1 newer
  check 0 "broken fan|node0
new|node2
newer|node1" "" fq-resource drain -n --sort=reason -o '{reason}|{nodelist}'
  refuses 1 "fq-resource: there is no node 'node7' (the nodes are node[0-2])" fq-resource drain node7
  refuses 1 "fq-resource: there is no node of rank 3-4 (ranks are 0-2)" fq-resource drain 2-4
  refuses 2 "fq-resource: --force cannot be used with --update" fq-resource drain -f -u 1
  refuses 2 "fq-resource: which nodes? give their ranks or names" fq-resource drain -f
  check 0 "" "" fq-resource undrain 0-1
  refuses 1 "fq-resource: nodes node[0-1] are not drained (--force passes them over)" fq-resource undrain 0-2
  check 0 "" "" fq-resource undrain --force 0-2
  check 0 "3 Nodes, 6 Cores, 3 GPUs" "" fq-resource info
}

@test "R20.23 who had a node, now and then" {
  # From the records of jobs: those that run, and with --at those that held it at that time.
  local first second start
  first=$(fq-submit --job-name=first true)
  ended "$first"
  start=$(fq-jobs -a -n -o '{t_run}' "$first")
  second=$(submit_held second -N2)
  running second
  check 0 "second" "" fq-resource who node1 -n -o '{name}'
  check 0 "" "" fq-resource who -n node2
  check 0 "first" "" fq-resource who node0 --at "$start" -n -o '{name}'
  check 0 "" "" fq-resource who node0 -n --at 2020-01-01
  check 0 "" "" fq-resource who node0 -n --at=-365d
  refuses 1 "fq-resource: there is no node 'node9' (the nodes are node[0-2])" fq-resource who node9
  refuses 2 "fq-resource: HOST is missing (usage: fq-resource who [OPTION...] HOST)" fq-resource who
  expect "second" "$(fq-resource who --json node0 | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["jobs"][0]["name"])')"
  release second
}

@test "queues have rows of their own" {
  # As in Flux; a virtual queue has no nodes.
  printf 'policy.jobspec.defaults.system.queue = "batch"\nqueues.batch.hosts = "node[0-1]"\nqueues.debug.hosts = "node2"\nqueues.long.parent = "batch"\n' >two.toml
  fq-config load two.toml
  check 0 "     STATE QUEUE NNODES NCORES NGPUS NODELIST
      free batch      2      4     2 node[0-1]
      free debug      1      2     1 node2
 allocated batch      0      0     0 
 allocated debug      0      0     0 
      down batch      0      0     0 
      down debug      0      0     0 " "" fq-resource list
  fq-resource R >R.json
  fq-init --quiet --store "$WORK/second" --R R.json
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-1","gpu":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["node[0-2]"]}}' "" \
    fq-resource R --store "$WORK/second"
}

@test "reload adds, removes and describes nodes while jobs run" {
  # A node that jobs hold stays until they have ended, and goes by itself then; hosts keep their ranks.
  local waits
  submit_held job -N1 >held
  running job
  fq-R encode -r 0-2 -c 0-3 -H 'node[1-3]' -p big:2 >R.json
  check 0 "" "fq-resource: jobs still run on node0: gone when they have ended" fq-resource reload R.json
  check 0 "      avail  ✔      3 node[1-3]
    leaving  ✔      1 node0" "" fq-resource status -n
  check 0 "" "" fq-resource drain -n
  refuses 1 "fq-resource: node node0 is not drained (--force passes them over)" fq-resource undrain node0
  check 0 "node3" "" fq-jobs -n -o '{nodelist}' "$(fq-submit --wait-event=start --requires=big -c4 true)"
  waits=$(fq-submit -N4 --urgency=hold true)
  release job
  ended "$(cat held)"
  check 0 "3 Nodes, 12 Cores, 0 GPUs" "" fq-resource info
  check 0 "      avail  ✔      3 node[1-3]" "" fq-resource status -n
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"1-3","children":{"core":"0-3"}}],"starttime":0.0,"expiration":0.0,"nodelist":["node[1-3]"],"properties":{"big":"3"}}}' "" fq-resource R
  fq-job urgency "$waits" default
  check 0 "F" "" fq-jobs -a -n -o '{status_abbrev}' "$waits"
  printf '[queues.one]\nhosts = "node1"\n' >one.toml
  fq-config load one.toml
  fq-R encode -c 0-3 -H node2 >R.json
  refuses 1 "fq-resource: the configuration does not fit these nodes: queues.one.hosts: there is no node 'node1' (load another one first: fq config load)" fq-resource reload R.json
  check 0 "3 Nodes, 12 Cores, 0 GPUs" "" fq-resource info
}
