#!/usr/bin/env bats
# fq-exec: a command on each node of the instance.

load helper

setup() { make_store 3:2; }

@test "it is run on each node, and told which that is" {
  # On all, on some, on those of a job; labelled by rank.
  check 0 "node0 $STORE
node1 $STORE
node2 $STORE" "" sh -c "fq-exec -n sh -c 'echo \$FQ_NODE_NAME \$FQ_STORE' | sort"
  check 0 "0: 0
2: 2" "" sh -c "fq-exec -n -l -r 0,2 sh -c 'echo \$FQ_NODE_RANK' | sort"
  check 0 "1: 1" "" fq-exec -n -l -x 0,2 sh -c 'echo $FQ_NODE_RANK'
  local id
  id=$(submit_held job --requires=host:node1)
  running job
  # Its ranks are counted within it: 0 is its first node.
  check 0 "0: 0 node1" "" fq-exec -n -l --jobid "$id" -r 0 sh -c 'echo $FQ_NODE_RANK $FQ_NODE_NAME'
  refuses 1 "fq-exec: there are ranks 0 of job $id's nodes, not 1" fq-exec -n -j "$id" -r 1 true
  check 1 "" "fq-exec: rank 0: exit code 1" fq-exec -n -j "$id" false
  release job
  ended "$id"
  refuses 1 "fq-exec: job $id is not running" fq-exec -n --jobid "$id" true
  refuses 1 "fq-exec: there are ranks 0-2, not 3" fq-exec -n -r 3 true
  refuses 2 "fq-exec: no nodes are left" fq-exec -n -x 0-2 true
  refuses 2 "fq-exec: --exclude: no nodes are left without all of them" fq-exec -n -x all true
  mkdir dir
  check 0 "$PWD/dir" "" fq-exec -n -r 0 -d dir pwd
  refuses 1 "fq-exec: cannot enter directory 'missing': No such file or directory" fq-exec -n -d missing pwd
}

@test "the greatest exit code is its own" {
  # Those that failed are named; signals count from 128.
  check 7 "" "fq-exec: rank 1: exit code 3
fq-exec: rank 2: exit code 7" fq-exec -n sh -c '[ $FQ_NODE_RANK = 0 ] || exit $((FQ_NODE_RANK * 4 - 1))'
  check 1 "" "fq-exec: rank 1: exit code 1" fq-exec -n -r 1 false
  check 137 "" "fq-exec: rank 1: signal 9 (Killed)
fq-exec: rank 0: exit code 2" fq-exec -n -x 2 sh -c '[ $FQ_NODE_RANK = 0 ] && exit 2; kill -KILL $$'
  check 137 "" "" fq-exec -nq sh -c '[ $FQ_NODE_RANK = 1 ] && kill -KILL $$; true'
  check 127 "" "fq-exec: node0: cannot run './missing': No such file or directory" fq-exec -n -r 0 ./missing
  check 0 "" "fq-exec: ranks 0-2: exit code 0" fq-exec -nv true
}

@test "each reads all that comes on standard input" {
  # More than a pipe holds; one that does not read hinders nobody; -n gives nothing.
  seq 100000 >numbers
  check 0 "$(printf '%s\n' 100000 100000 100000)" "" sh -c 'fq-exec wc -l <numbers'
  check 0 "$(printf '%s\n' 100000 100000)" "" sh -c 'fq-exec sh -c "[ \$FQ_NODE_RANK = 0 ] || wc -l" <numbers'
  check 0 "100000" "" sh -c 'fq-exec -r 1 wc -l <numbers'
  check 0 "0 0 0" "" sh -c 'fq-exec -n wc -l <numbers | xargs'
  check 0 "" "" sh -c 'cat numbers | fq-exec -r 0 true'
}

@test "lines of several do not mix" {
  # Whole lines, with an end where there is none.
  check 0 "0: a
0: b
1: a
1: b
2: a
2: b" "" sh -c 'fq-exec -nl sh -c "printf a; printf \"\\\\nb\"" | sort'
  check 0 "" "2: e" fq-exec -nl -r 2 sh -c 'echo e >&2'
}

@test "an interrupt is passed on, and a second one kills" {
  mkfifo up
  fq-exec -n sh -c 'trap "exit 9" INT; echo >up; while :; do sleep 0.1; done' 2>err &
  timeout "$LIMIT" sh -c 'exec 3<>up; for i in 1 2 3; do read -r line <&3; done'
  kill -INT $!
  wait $! || expect 9 $?
  fq-exec -n sh -c 'trap "" INT; echo >up; exec sleep 1000' 2>err &
  timeout "$LIMIT" sh -c 'exec 3<>up; for i in 1 2 3; do read -r line <&3; done'
  kill -INT $!
  kill -INT $!
  until ! kill -0 $! 2>/dev/null; do kill -INT $! 2>/dev/null || true; done
  wait $! || expect 137 $?
}

@test "in an allocation its nodes are meant" {
  # And what is run ends with the job.
  local id
  id=$(fq-batch -N2 --output=out.txt --wrap <<<'fq-exec -n -l sh -c "echo \$FQ_NODE_NAME" | sort')
  ended "$id"
  expect "0: node0
1: node1" "$(cat out.txt)"
}
