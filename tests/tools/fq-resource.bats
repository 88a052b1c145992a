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

@test "wrong operands" {
  # No verb, an unknown verb, an operand too many.
  refuses 2 "fq-resource: which command? (one of list, R)" fq-resource
  refuses 2 "fq-resource: there is no command 'lst' (did you mean 'list'?)" fq-resource lst
  refuses 2 "fq-resource: unexpected operand 'x'" fq-resource list x
  refuses 2 "fq-resource: unexpected operand 'x'" fq-resource R x
}
