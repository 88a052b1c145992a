#!/usr/bin/env bats
# Parallel programs: PMI-1 (RFC 13), task maps (RFC 34), and what the shell says and does of tasks.

load helper

setup() { make_store 2:4; }

pmi() { printf '%s' "$PYTHON -IS $TESTS_DIR/pmi.py"; }

@test "tasks find each other by PMI" {
  # Values that were put before a barrier are there after it; the map says who shares a node.
  expect "0 of 4: rank 1, (vector,(0,2,2))
1 of 4: rank 2, (vector,(0,2,2))
2 of 4: rank 3, (vector,(0,2,2))
3 of 4: rank 0, (vector,(0,2,2))" "$(fq-run -N2 -n4 $(pmi) ring finalize | grep -v finalize | sort)"
  expect "8 times 100" "$(fq-run -n8 $(pmi) barriers 100 | sort | uniq -c | awk '{print $1, "times", $2}')"
}

@test "PMI answers as RFC 13 says" {
  # Sizes, places, refusals; words in any order, with more blanks and more words.
  expect "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024
cmd=universe_size rc=0 size=1
cmd=appnum rc=0 appnum=0
cmd=put_result rc=0 msg=success
cmd=get_result rc=0 msg=success value=a value=b
cmd=put_result rc=-1 msg=duplicate_key
cmd=put_result rc=-1 msg=unknown_kvsname
cmd=put_result rc=-1 msg=invalid_key
cmd=put_result rc=-1 msg=invalid_value
cmd=get_result rc=-1 msg=key_not_found
cmd=publish_result rc=-1 msg=names_are_not_published
cmd=unpublish_result rc=-1 msg=names_are_not_published
cmd=lookup_result rc=-1 msg=names_are_not_published
cmd=spawn_result rc=-1 msg=processes_are_not_spawned
cmd=finalize_ack rc=0" "$(fq-run -o pmi=simple $(pmi) send cmd=get_maxes send cmd=get_universe_size send cmd=get_appnum \
    send '  more=1 key=k   kvsname=NAME cmd=put value=a value=b' send 'kvsname=NAME key=k cmd=get' send 'cmd=put kvsname=NAME key=k value=' \
    send 'cmd=put kvsname=x key=l value=' send "cmd=put kvsname=NAME key=$(printf 'k%.0s' {1..64}) value=" \
    send "cmd=put kvsname=NAME key=l value=$(printf 'v%.0s' {1..1024})" send 'cmd=get kvsname=NAME key=l' \
    send 'cmd=publish_name service=s port=p' send 'cmd=unpublish_name service=s' send 'cmd=lookup_name service=s' \
    send 'mcmd=spawn\nnprocs=1\nexecname=x\ntotspawns=2\nspawnssofar=1\nendcmd\nmcmd=spawn\nnprocs=1\nexecname=y\ntotspawns=2\nspawnssofar=2\nendcmd' finalize)"
}

@test "a task that aborts by PMI, or does not keep to it, ends the job" {
  # The exception names it; the exit code is what it gave.
  check 9 "" "fq-shell: PMI: task rank 0 on host node0 called abort" fq-run -n1 -o pmi=simple $(pmi) send 'cmd=abort exitcode=9'
  check 1 "" "fq-shell: PMI: task rank 0 on host node0 sent the unknown command 'get_rich'" fq-run -o pmi=simple $(pmi) send cmd=get_rich
  check 1 "" "fq-shell: PMI: task rank 0 on host node0 sent 'hello'" fq-run -o pmi=simple $(pmi) send hello
  check 1 "" "fq-shell: PMI: task rank 0 on host node0 sent a line without end" \
    fq-run -o pmi=simple bash -c 'head -c 100000 /dev/zero | tr "\0" x >&$PMI_FD; sleep 100'
  expect "exec: PMI: task rank 0 on host node0 sent a line without end" "$(fq-jobs -n -a -c1 -o '{exception.type}: {exception.note}')"
}

@test "PMI is there for several tasks, and as -o says" {
  # What an enclosing job has is not passed on.
  local show='echo ${PMI_FD:+fd} ${PMI_RANK-none} ${PMI_SIZE-none}'
  expect "none none" "$(PMI_RANK=3 PMI_SIZE=4 fq-run sh -c "$show")"
  expect "fd 0 2 fd 1 2" "$(fq-run -n2 sh -c "$show" | sort | xargs)"
  expect "fd 0 1" "$(fq-run -o pmi=simple sh -c "$show")"
  expect "none none none none" "$(fq-run -n2 -o pmi=off sh -c "$show" | xargs)"
  expect "none none none none" "$(fq-run -n2 -o mpi=none sh -c "$show" | xargs)"
  refuses 2 "fq-run: --setopt: pmi: expected simple or off, got 'pmix'" fq-run -o pmi=pmix true
  refuses 2 "fq-run: --setopt: mpi: expected none, mpich, intel or mvapich, got 'mpch' (did you mean 'mpich'?)" fq-run -o mpi=mpch true
}

# bats test_tags=own-store
@test "tasks of several shells' worth start and meet" {
  # A hundred of them, in one barrier after the other.
  fq-init --quiet --force --store "$BATS_TEST_TMPDIR/large" --test-nodes 1:100
  expect "100 20" "$(fq-run --store "$BATS_TEST_TMPDIR/large" -n100 $(pmi) barriers 20 | sort | uniq -c | xargs)"
}

@test "--taskmap says which task runs on which node" {
  # By ranks and local ids; as fq job taskmap shows it.
  local show='echo $FLUX_TASK_RANK.$FLUX_TASK_LOCAL_ID'
  map() {
    fq-run -N2 -n4 "$@" sh -c "$show" | sort | xargs
    fq-job taskmap --to=raw "$(fq-job last)"
  }
  expect "0.0 1.1 2.0 3.1
0-1;2-3" "$(map)"
  expect "0.0 1.1 2.0 3.1
0-1;2-3" "$(map --taskmap=block)"
  expect "0.0 1.0 2.1 3.1
0,2;1,3" "$(map --taskmap=cyclic)"
  expect "0.0 1.1 2.0 3.1
0-1;2-3" "$(map --taskmap=cyclic:2)"
  expect "0.0 1.0 2.1 3.1
1-2;0,3" "$(map --taskmap='manual:1-2;0,3' | sed '1s/0.0 1.0 2.1 3.1/0.0 1.0 2.1 3.1/')"
  expect "(vector,(0,2,1),(0,2,1))" "$(fq-run -N2 -n4 --taskmap=cyclic $(pmi) ring | sed -n 's/.*\((vector.*\)/\1/p' | sort -u)"
}

@test "a map of tasks, or of CPUs, that makes no sense is refused" {
  # At submission; one that does not fit the job fails it.
  refuses 2 "fq-run: --taskmap: taskmap.scheme: expected block, cyclic or manual, got 'cylic' (did you mean 'cyclic'?)" fq-run --taskmap=cylic true
  refuses 2 "fq-run: --taskmap: taskmap.value: expected the number of tasks that a node gets at a time, got '0'" fq-run --taskmap=cyclic:0 true
  refuses 2 "fq-run: --taskmap: taskmap: manual needs a map, as \`manual:[[0,2,1,2]]\`" fq-run --taskmap=manual true
  refuses 2 "fq-run: --taskmap: taskmap.value: block takes no value" fq-run --taskmap=block:2 true
  check 1 "" "fq-shell: taskmap: it has 3 tasks on 1 nodes, the job 2 on 1" fq-run -n2 --taskmap='manual:[[0,1,3,1]]' true
  MASK='s/has [-0-9]+$/has N/' check 1 "" "fq-shell: cpu-affinity: there is no CPU 40000: this machine has N" fq-run -n2 -o cpu-affinity='map:0;0,40000' true
}

@test "-o verbose: the shell says what it does" {
  # Where tasks run and how they end, on standard error.
  MASK='s/pid [0-9]+/pid PID/; s/CPUs [-0-9,]+/CPUs SOME/' check 3 out "fq-shell: task 0 on node0: pid PID, cores 0, CPUs SOME
fq-shell: task 0 ended with exit code 3
fq-run: task(s) exited with exit code 3" fq-run -o verbose sh -c 'echo out; exit 3'
}

# bats test_tags=own-store
@test "-o stop-tasks-in-exec: tasks wait for a debugger" {
  # Stopped with their program loaded, until SIGCONT.
  local id pid
  id=$(fq-submit -o stop-tasks-in-exec sleep 0)
  timeout "$LIMIT" fq-job wait-event "$id" start >/dev/null
  pid=$(fq-job hostpids "$id")
  pid=${pid##*:}
  timeout "$LIMIT" sh -c 'until grep -q "^State:.T (stopped)" "/proc/$0/status"; do :; done' "$pid"
  expect sleep "$(cat "/proc/$pid/comm")"
  fq-job kill -s CONT "$id"
  check 0 "" "" fq-job attach "$id"
}

# bats test_tags=mpich
@test "MPICH programs run unchanged, with collectives" {
  # On one node and, as far as they can tell, on two.
  mpicc.mpich -o hello "$TESTS_DIR/mpi/hello.c"
  expect "size 4, sum 6, on this node 4, ring 3 0 1 2" "$(fq-run -n4 ./hello)"
  expect "size 1, sum 0, on this node 1, ring 0" "$(fq-run ./hello)"
  fq-run -n4 ./hello 2 2>err && code=0 || code=$?
  expect "9 1" "$code $(grep -c 'called abort' err)"
}

# bats test_tags=openmpi
@test "MPICH's own mpirun in an allocation starts as many as the job has slots" {
  mpicc.mpich -o hello "$TESTS_DIR/mpi/hello.c"
  local id
  id=$(fq-batch -n3 --output=none --wrap 'mpirun.mpich ./hello')
  check 0 "size 3, sum 3, on this node 3, ring 2 0 1" "" fq-job attach "$id"
}

@test "Open MPI programs run unchanged, and by its own mpirun in an allocation" {
  # The first through libpmi.so; the second with the job's slots, without words about hosts.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=0 OMPI_MCA_hwloc_base_binding_policy=none
  mpicc.openmpi -o hello "$TESTS_DIR/mpi/hello.c"
  expect "size 4, sum 6, on this node 4, ring 3 0 1 2" "$(fq-run -n4 ./hello)"
  expect "size 1, sum 0, on this node 1, ring 0" "$(fq-run ./hello)"
  # What its tasks share on a node is neither another node's nor another job's, though it names that as theirs.
  expect "size 4, sum 6, on this node 2, ring 3 0 1 2" "$(fq-run -N2 -n4 ./hello)"
  expect "same" "$(fq-run -n2 sh -c '[ "$OMPI_MCA_btl_vader_backing_directory" != "$FLUX_JOB_TMPDIR" ] || echo same' | sort -u)"
  local id
  id=$(fq-batch -n3 --output=none --wrap mpirun.openmpi ./hello)
  check 0 "size 3, sum 3, on this node 3, ring 2 0 1" "" fq-job attach "$id"
}

@test "what an allocation has is in its script's environment" {
  # Tasks, nodes and slots; where Open MPI's mpirun finds the slots.
  local id
  id=$(fq-batch -N2 -n6 --output=none --wrap 'echo $FLUX_JOB_SIZE $FLUX_JOB_NNODES $FLUX_JOB_NSLOTS $FQ_JOB_NSLOTS; cat $OMPI_MCA_orte_default_hostfile $HYDRA_HOST_FILE; echo $OMPI_MCA_pmix ${PMI_RANK-none}')
  check 0 "1 2 6 6
localhost slots=6
localhost:6
^flux none" "" fq-job attach "$id"
  expect "4 2 4" "$(fq-run -N2 -n4 sh -c 'echo $FLUX_JOB_SIZE $FLUX_JOB_NNODES $FLUX_JOB_NSLOTS' | sort -u)"
  expect "^ucx none" "$(OMPI_MCA_pmix=^ucx fq-run sh -c 'echo $OMPI_MCA_pmix ${OMPI_MCA_orte_default_hostfile-none}')"
  expect "none none" "$(OMPI_MCA_pmix=^flux OMPI_MCA_orte_default_hostfile=x fq-run sh -c 'echo ${OMPI_MCA_pmix-none} ${OMPI_MCA_orte_default_hostfile-none}')"
}
