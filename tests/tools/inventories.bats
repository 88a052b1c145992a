#!/usr/bin/env bats
# What is no inventory is refused, wherever one is given: fq-init --R, fq-resource reload, the configuration.

load helper

setup() { make_store 1:2; }

# wrong MESSAGE RANKS CHILDREN HOSTS: an R that each of the three refuses, and nothing changes.
wrong() {
  printf '{"version":1,"execution":{"R_lite":[{"rank":"%s","children":%s}],"nodelist":["%s"]}}' "$2" "$3" "$4" >R.json
  echo 'resource.path = "R.json"' >fq.toml
  refuses 1 "fq-init: R: $1" fq-init --store "$WORK/new" --R R.json
  refuses 1 "fq-resource: R: $1" fq-resource reload R.json
  refuses 1 "fq-config: fq.toml:1: resource.path: R: $1" fq-config load fq.toml
  refuses 1 "fq-init: fq.toml:1: resource.path: R: $1" fq-init --store "$WORK/new" --config fq.toml
  [ ! -e "$WORK/new" ]
  check 0 "1 Node, 2 Cores, 0 GPUs" "" fq-resource info
}

@test "more cores or GPUs than a machine can have" {
  # Of a node, and in all.
  wrong "host 'a' has 4294967296 cores, at most 65536 are possible" 0 '{"core":"0-4294967295"}' a
  wrong "host 'a' has 65537 GPUs, at most 65536 are possible" 0 '{"core":"0","gpu":"0-65536"}' a
  wrong "536870912 cores and GPUs in all, at most 268435456 are possible" 0-8191 '{"core":"0-65535"}' 'n[0-8191]'
  wrong "execution.R_lite[0].rank: a resource set has at most 262144 nodes" 0-4294967295 '{"core":"0"}' 'n[0-4294967295]'
}

@test "R20.25 nodes without cores, idsets that name nothing" {
  # R needs each of them.
  wrong "execution.R_lite[0].children: missing key 'core'" 0 '{"gpu":"0"}' a
  wrong "execution.R_lite[0].children.core: expected at least one core" 0 '{"core":""}' a
  wrong "execution.R_lite[0].children.gpu: expected at least one GPU" 0 '{"core":"0","gpu":""}' a
  wrong "execution.R_lite[0].rank: expected at least one rank" "" '{"core":"0"}' a
}

@test "hosts of one name" {
  # One by one or in a list.
  wrong "host 'a' is named twice" 0-1 '{"core":"0"}' a,a
  wrong "host 'n1' is named twice" 0-3 '{"core":"0"}' 'n[0-2],n1'
}

@test "tables of the configuration have the same bounds" {
  # By file, line and key.
  printf '[[resource.config]]\nhosts = "n"\ncores = "0-4294967295"\n' >fq.toml
  refuses 1 "fq-config: fq.toml:1: resource.config: host 'n' has 4294967296 cores, at most 65536 are possible" fq-config load fq.toml
  printf '[[resource.config]]\nhosts = "n"\ngpus = "0"\n' >fq.toml
  refuses 1 "fq-config: fq.toml:1: resource.config: host 'n' has no cores" fq-config load fq.toml
  printf '[[resource.config]]\nhosts = "n[0-8191]"\ncores = "0-65535"\n' >fq.toml
  refuses 1 "fq-config: fq.toml:1: resource.config: 536870912 cores and GPUs in all, at most 268435456 are possible" fq-config load fq.toml
  refuses 2 "fq-init: --test-nodes: host 'node0' has 262144 cores, at most 65536 are possible" fq-init --store "$WORK/new" --test-nodes 1:262144
  [ ! -e "$WORK/new" ]
}
