#!/usr/bin/env bats
# fq-R: resource sets (RFC 20), with the sub-commands and options of flux-R.

load helper

setup() { prepare; }

# short WANTED COMMAND: the short form of the R that a shell command prints.
short() { check 0 "$1" "" bash -c "{ $2; } | fq-R decode --short"; }

@test "encode without options is one core of this host" {
  # Rank 0, core 0; no store is used.
  local host
  host=$(uname -n)
  FQ_STORE=/nonexistent check 0 '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["'"${host%%.*}"'"]}}' "" fq-R encode
}

@test "encode takes ranks, cores, gpus and hosts" {
  # Ranks follow from hosts, hosts from ranks; there is no R without a core.
  short "rank[0-1]/core0" "fq-R encode --ranks 0-1"
  short "rank[0,2]/core[0-1]" "fq-R encode -r 0,2 -c 0-1"
  short "rank0/core0,gpu0" "fq-R encode --gpus 0"
  short "rank0/core[0-1],gpu0" "fq-R encode --cores 0-1 -g 0"
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"3,7","children":{"core":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["b,a"]}}' "" \
    fq-R encode -r 3,7 -H b,a
  check 0 'foo[0-1]
0-1' "" sh -c "fq-R encode --hosts 'foo[0-1]' | fq-R decode --nodelist --ranks"
}

@test "R20.25 there is no R of nothing" {
  # Idsets and arrays that name nothing are refused; what is left without cores is left out, nothing left is refused.
  bad() { refuses 1 "fq-R: R: execution.R_lite$1" sh -c "echo '{\"version\":1,\"execution\":{\"R_lite\":$2,\"nodelist\":[\"a\"]}}' | fq-R decode"; }
  bad ": expected at least one entry" '[]'
  bad "[0].rank: expected at least one rank" '[{"rank":"","children":{"core":"0"}}]'
  bad "[0].children.core: expected at least one core" '[{"rank":"0","children":{"core":""}}]'
  bad "[0].children.gpu: expected at least one GPU" '[{"rank":"0","children":{"core":"0","gpu":""}}]'
  fq-R encode -H 'n[0-1]' -c 0-1 -g 0 >all
  fq-R encode -H n0 -c 0-1 >cores
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"1","children":{"core":"0-1","gpu":"0"}}],"starttime":0.0,"expiration":0.0,"nodelist":["n1"]}}' \
    "fq-R: left out, for R has no nodes without cores: rank0/gpu0" sh -c "cat all cores | fq-R diff"
  refuses 1 "fq-R: no resources are left, and R has at least one core" sh -c "cat all all | fq-R diff"
  refuses 1 "fq-R: no resources are left, and R has at least one core" fq-R encode --hosts ''
  refuses 1 "fq-R: no cores are left, and R has at least one: rank0/gpu0" sh -c "{ fq-R encode -c 0-1 -g 0; fq-R encode -c 0-1; } | fq-R diff"
}

@test "R20.10 encode and set-property give properties" {
  # To the ranks named or to all; decode chooses by them, ^ negates, all of a list must hold.
  fq-R encode -H 'foo[0-1]' -p xx:0 --property yy:1 -p all >one
  fq-R encode -H 'foo[0-1]' | fq-R set-property all | fq-R set-property xx:0 yy:1 >two
  check 0 "" "" cmp one two
  expect '"properties":{"all":"0-1","xx":"0","yy":"1"}}}' "$(grep -o '"properties".*' one)"
  local test
  for test in all=2 xx=1 yy=1 ^all=0 all,yy=1 xx,yy=0 ^xx,^yy=0 none=0; do
    check 0 "${test#*=}" "" sh -c "fq-R decode -c node --properties ${test%=*} <one"
  done
  refuses 2 "fq-R: --properties: a property needs a name" fq-R decode -p xx,
  refuses 2 "fq-R: --properties: property 'a^b' has the illegal character '^'" fq-R decode -p a^b
  check 0 foo0 "" sh -c "fq-R decode --nodelist -p ^yy <one"
}

@test "R20.11 properties that cannot be given" {
  # Ranks that are not there, names that RFC 20 forbids.
  refuses 1 "fq-R: property 'xx': ranks 4-5 are not in the resource set" fq-R encode -r 0-3 -p xx:3-5
  refuses 1 "fq-R: property 'a&b' has the illegal character '&'" fq-R encode -p 'a&b'
  refuses 1 "fq-R: invalid idset 'x': expected a number at character 1" fq-R encode -p a:x
  refuses 1 "fq-R: property 'foo': rank 2 is not in the resource set" sh -c "fq-R encode -r 0-1 | fq-R set-property foo:1-2"
  refuses 2 "fq-R: NAME[:RANKS]... is missing (usage: fq-R set-property [OPTION...] NAME[:RANKS]...)" fq-R set-property
}

@test "encode takes what a machine has" {
  # This one, as init finds it, or one that hwloc wrote down, for each of the hosts.
  fq-init --quiet --store "$STORE"
  expect "$(FQ_STORE=$STORE fq-resource R | fq-R decode --short)" "$(fq-R encode --local | fq-R decode --short)"
  short "rank[0-2]/core[0-5],gpu[0-1]" "fq-R encode --xml '$TESTS_DIR/../data/hwloc/six-cores-two-gpus.xml' -H 'n[0-2]'"
  short "rank0/core[0-5],gpu[0-1]" "fq-R encode -f - <'$TESTS_DIR/../data/hwloc/six-cores-two-gpus.xml'"
  echo nothing >bad.xml
  refuses 1 "fq-R: not an hwloc topology in XML" fq-R encode --xml bad.xml
  refuses 1 "fq-R: cannot open 'missing.xml': No such file or directory" fq-R encode --xml missing.xml
  refuses 2 "fq-R: --local cannot be used with --xml" fq-R encode --local --xml bad.xml
  refuses 2 "fq-R: --cores and --gpus cannot be used with --local or --xml" fq-R encode --local -c 0
}

@test "encode refuses what does not fit" {
  # Other counts of hosts and ranks, idsets and hostlists that are none, more nodes than a set may have.
  refuses 1 "fq-R: expected one host for each of the 2 ranks, got 3" fq-R encode -r 0-1 -H 'n[0-2]'
  refuses 1 "fq-R: 4294967296 ranks are more than the 262144 nodes that a resource set may have" fq-R encode -r 0-4294967295
  refuses 1 "fq-R: 262145 ranks are more than the 262144 nodes that a resource set may have" fq-R encode -H 'n[0-262144]'
  refuses 2 "fq-R: --ranks: invalid idset '1,0': ids must ascend, but 0 follows 1 at character 3" fq-R encode -r 1,0
  refuses 2 "fq-R: --hosts: invalid hostlist 'n[': expected a number at character 3" fq-R encode -H 'n['
  refuses 2 "fq-R: unexpected operand 'x'" fq-R encode x
}

@test "R20.1 R20.2 R20.3 R20.4 R20.5 R20.7 R20.8 R20.9 decode refuses what is no R" {
  # No object, no JSON, and each thing that RFC 20 requires; one of several is named by its number.
  refuses 1 "fq-R: expected at least 1 R object on standard input, got 0" fq-R decode
  bad() { refuses 1 "fq-R: $1" sh -c "echo '$2' | fq-R decode"; }
  bad "R: missing key 'version'" '{}'
  bad "R: missing key 'execution'" '{"version": 1}'
  bad "R: execution: missing key 'R_lite'" '{"version": 1, "execution": {}}'
  bad "R: version: expected 1, got 2" '{"version": 2, "execution": {}}'
  bad "R: line 1, column 14: not valid JSON" '{"version": 1'
  bad "R: execution: missing key 'nodelist'" '{"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}]}}'
  bad "R: execution.R_lite[0]: missing key 'rank'" '{"version": 1, "execution": {"R_lite": [{}]}}'
  bad "R: execution.R_lite[0].children: missing key 'core'" '{"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {}}]}}'
  bad "R: execution.nodelist: expected one host for each of the 1 ranks, got 2" '{"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}], "nodelist": ["a", "b"]}}'
  bad "R: execution.nslots: expected an integer from 1 to 4294967295, got 0" '{"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}], "nodelist": ["a"], "nslots": 0}}'
  bad "R object 2: missing key 'version'" "$(fq-R encode -H n1) {}"
}

@test "R20.14 an expiration before the start is refused" {
  # With the place of the fault.
  refuses 1 "fq-R: R: execution: expiration 5 is not after starttime 10" \
    sh -c 'fq-R encode -H n1 | sed "s/\"starttime\":0.0,\"expiration\":0.0/\"starttime\":10,\"expiration\":5/" | fq-R decode'
}

@test "R20.21 decode tells what the example of RFC 20 has" {
  # Ranks 19-22 on node[186-189], 48 cores and 8 GPUs each.
  check 0 "rank[19-22]/core[0-47],gpu[0-7]
node[186-189]
19-22
192" "" sh -c "fq-R decode -s -n -r -c core <'$TESTS_DIR/../data/rfc20/example1.json'"
  check 0 32 "" sh -c "fq-R decode --count=gpu <'$TESTS_DIR/../data/rfc20/example1.json'"
  check 0 4 "" sh -c "fq-R decode --count=node <'$TESTS_DIR/../data/rfc20/example1.json'"
  refuses 2 "fq-R: --count: expected node, core or gpu, got 'cpu'" fq-R decode -c cpu
}

@test "decode prints the union of all in its shortest form" {
  # One object a line or many, with or without line ends between.
  short "rank0/core[0-1] rank1/core[0-3] rank2/core[2-3]" "fq-R encode -r 0-1 -c 0-1; fq-R encode -r 1-2 -c 2-3 | tr -d '\n'; fq-R encode -r 1 -c 0"
  fq-R encode -H 'n[0-1]' -c 0-3 >R
  check 0 "$(cat R)" "" sh -c "'$PYTHON' -m json.tool R | fq-R decode"
}

@test "decode includes and excludes ranks" {
  # Ranks that are not there are passed over.
  short "rank[5-7]/core0" "fq-R encode -r 0-1023 | fq-R decode --include 5-7,9999"
  short "rank[1-4,8-10]/core0" "fq-R encode -r 1-10 | fq-R decode --exclude 5-7,99"
  short "rank2/core0" "fq-R encode -r 1-10 -p p:2-3 | fq-R decode -p p -x 3 -i 1-3"
  check 1 "" "fq-R: no resources are left, and R has at least one core" bash -c "fq-R encode | fq-R decode -x 0"
}

@test "union, intersect, diff and append" {
  # Cores and GPUs rank by rank, over all sets; nodes that hold nothing go.
  short "rank[0-1]/core[0-2]" "{ fq-R encode -r 0-1 -c 0-1; fq-R encode -r 0-1 -c 2; } | fq-R union"
  short "rank[1-3]/core0" "{ fq-R encode -r 0-3 -c 0-1; fq-R encode -r 1-5 -c 0; } | fq-R intersect"
  short "rank[0-1]/core1" "{ fq-R encode -r 0-1 -c 0-1; fq-R encode -r 0-1 -c 0; } | fq-R diff"
  short "rank0/core1" "{ fq-R encode -r 0-1 -c 0-1; fq-R encode -r 0-1 -c 0; fq-R encode -r 1 -c 1; } | fq-R diff"
  short "rank[0-1]/core[0-1] rank[2-3]/core[0-1],gpu[0-1]" "{ fq-R encode -r 0-1 -c 0-1; fq-R encode -r 2-3 -c 0-1 -g 0-1; } | fq-R append"
  short "rank0/core[0-1] rank1/core[0-3] rank2/core[2-3]" "{ fq-R encode -r 0-1 -c 0-1; fq-R encode -r 1-2 -c 2-3; } | fq-R append"
}

@test "sets that cannot be combined are refused" {
  # Too few, a rank on two hosts, an overlap where there may be none.
  refuses 1 "fq-R: the resource sets overlap in 'rank1/core0'" sh -c "{ fq-R encode -r 0-1; fq-R encode -r 1-2; } | fq-R append"
  refuses 1 "fq-R: the resource sets overlap in 'rank1/gpu0'" sh -c "{ fq-R encode -r 0-1 -c 0-1 -g 0; fq-R encode -r 1 -c 2-3 -g 0; } | fq-R append"
  refuses 1 "fq-R: expected at least 2 R objects on standard input, got 1" sh -c "fq-R encode | fq-R diff"
  refuses 1 "fq-R: expected at least 2 R objects on standard input, got 0" fq-R intersect
  refuses 1 "fq-R: rank 0 is on host 'a' in one resource set and on 'b' in the other" sh -c "{ fq-R encode -H a; fq-R encode -H b; } | fq-R union"
}

@test "R20.20 remap and rerank number ranks anew" {
  # From 0 in their order, with the cores of each; or by the place of hosts in a list that names all of them.
  short "rank[0-2]/core0" "fq-R encode -r 5,99,1000 -c 7 | fq-R remap"
  check 0 "foo[3,2,1,0]" "" sh -c "fq-R encode -H 'foo[0-3]' | fq-R rerank 'foo[3,2,1,0]' | fq-R decode --nodelist"
  refuses 1 "fq-R: 3 hosts given for 4 nodes" sh -c "fq-R encode -H 'foo[0-3]' | fq-R rerank 'foo[1-3]'"
  refuses 1 "fq-R: host 'bar' is not in the resource set" sh -c "fq-R encode -H 'foo[0-1]' | fq-R rerank foo0,bar"
  refuses 2 "fq-R: HOSTS is missing (usage: fq-R rerank [OPTION...] HOSTS)" fq-R rerank
}

@test "verify compares with what is expected" {
  # More is told and fine; less, another host and an unknown rank are refused.
  check 0 "" "" sh -c "{ fq-R encode -r 1-10 -c 0-3; fq-R encode -r 1 -c 0-3; } | fq-R verify"
  check 0 "" "fq-R: extra resources: rank1/core[4-7],gpu1" sh -c "{ fq-R encode -r 1 -c 0-3; fq-R encode -r 1 -c 0-7 -g 1; } | fq-R verify"
  refuses 1 "fq-R: missing resources: rank1/core3" sh -c "{ fq-R encode -r 1 -c 0-3; fq-R encode -r 1 -c 0-2; } | fq-R verify"
  refuses 1 "fq-R: rank 0 is not expected" sh -c "{ fq-R encode -r 1-10 -c 0-3; fq-R encode -r 0 -c 0-3; } | fq-R verify"
  refuses 1 "fq-R: rank 1 is on host 'foo1' in one resource set and on 'foo12' in the other" \
    sh -c "{ fq-R encode -r 1 -c 0-3 -H foo1; fq-R encode -r 1 -c 0-3 -H foo12; } | fq-R verify"
  refuses 1 "fq-R: expected at least 2 R objects on standard input, got 1" sh -c "fq-R encode | fq-R verify"
  refuses 1 "fq-R: expected 2 R objects on standard input, got 3" sh -c "{ fq-R encode; fq-R encode; fq-R encode; } | fq-R verify"
}

@test "R20.18 every sub-command carries scheduling along" {
  # The key of the first set that has one comes out as it went in.
  local key='"scheduling":{"graph":[1,2.5,null],"writer":"fluxion:v1"}' command
  fq-R encode -r 0-3 -c 0-3 -g 0 -H 'foo[0-3]' | sed "s/}\$/,$key}/" >R
  for command in "fq-R decode" "fq-R decode -i 0" "fq-R decode -x 0" "fq-R remap" "fq-R rerank 'foo[3,2,1,0]'" "fq-R set-property p"; do
    check 0 "$key}" "" sh -c "$command <R | grep -o '\"scheduling.*'"
  done
  fq-R encode -r 4 -H foo4 >other
  for command in append diff; do
    check 0 "$key}" "" sh -c "cat R other | fq-R $command | grep -o '\"scheduling.*'"
  done
  fq-R encode -r 1 -H foo1 >other
  check 0 "$key}" "" sh -c "cat other R | fq-R intersect | grep -o '\"scheduling.*'"
}

@test "R20.24 like nodes share an entry at any size" {
  # 10 000 nodes are one entry; what they hold comes back.
  check 0 '{"version":1,"execution":{"R_lite":[{"rank":"0-9999","children":{"core":"0-127","gpu":"0-7"}}],"starttime":0.0,"expiration":0.0,"nodelist":["node[0-9999]"]}}' "" \
    fq-R encode -H 'node[0-9999]' -c 0-127 -g 0-7
  check 0 1280000 "" sh -c "fq-R encode -H 'node[0-9999]' -c 0-127 -g 0-7 | fq-R decode --count core"
}

@test "a store can be made of what is encoded, and shows what is free" {
  # encode → init → run → diff.
  fq-R encode -H 'n[0-1]' -c 0-3 -g 0 >R.json
  fq-init --quiet --store "$STORE" --R R.json
  export FQ_STORE=$STORE
  check 0 "$(cat R.json)" "" fq-resource R
  local id
  id=$(fq-submit -n3 -g0 true)
  ended "$id"
  check 0 "rank0/core3,gpu0 rank1/core[0-3],gpu0" "" sh -c "{ fq-resource R; fq-job info $id R; } | fq-R diff | fq-R decode --short"
}

@test "wrong sub-commands" {
  # None, and an unknown one.
  refuses 2 "fq-R: which command? (one of encode, decode, verify, union, intersect, diff, append, remap, rerank, set-property, parse-config)" fq-R
  refuses 2 "fq-R: there is no command 'decod' (did you mean 'decode'?)" fq-R decod
}

@test "AMD GPUs in a topology are GPUs" {
  # To hwloc they are graphics devices, rsmi0 and so on; each counts once.
  sed 's/subtype="CUDA" osdev_type="5"/subtype="RSMI" osdev_type="1"/; s/name="cuda/name="rsmi/' "$TESTS_DIR/../data/hwloc/six-cores-two-gpus.xml" >amd.xml
  grep -q rsmi1 amd.xml
  check 0 "rank0/core[0-5],gpu[0-1]" "" sh -c 'fq-R encode --xml amd.xml | fq-R decode --short'
  sed 's/<object type="OSDev" gp_index="22".*/&<object type="OSDev" gp_index="30" name="opencl0d0" subtype="OpenCL" osdev_type="5"\/>/' amd.xml >both.xml
  check 0 "rank0/core[0-5],gpu[0-1]" "" sh -c 'fq-R encode --xml both.xml | fq-R decode --short'
}

@test "parse-config prints the nodes of a configuration" {
  # Of a directory, or of one file in TOML or JSON; the machine is not looked at.
  mkdir conf
  printf '[[resource.config]]\nhosts = "foo[0-2]"\ncores = "0-1"\n[[resource.config]]\nhosts = "foo2"\ngpus = "0"\n' >conf/nodes.toml
  printf '[queues.a]\n' >conf/queues.toml
  check 0 "rank[0-1]/core[0-1] rank2/core[0-1],gpu0
foo[0-2]" "" sh -c 'fq-R parse-config conf | fq-R decode --short --nodelist'
  check 0 "6" "" sh -c 'fq-R parse-config conf/nodes.toml | fq-R decode --count cores'
  check 0 "3" "" sh -c 'fq-R parse-config conf | fq-R decode --count nodes'
  check 0 "1" "" sh -c 'fq-R parse-config conf | fq-R decode --count gpu'
  printf '{"resource": {"config": [{"hosts": "x", "cores": "0"}]}}' >nodes.json
  check 0 "rank0/core0" "" sh -c 'fq-R parse-config nodes.json | fq-R decode --short'
  printf '[resource]\nnoverify = true\n' >none.toml
  refuses 1 "fq-R: the configuration 'none.toml' gives no nodes ([[resource.config]], or resource.path)" fq-R parse-config none.toml
  refuses 2 "fq-R: FILE|DIR is missing (usage: fq-R parse-config [OPTION...] FILE|DIR)" fq-R parse-config
}
