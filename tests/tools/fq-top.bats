#!/usr/bin/env bats
# fq-top: what is taken and which jobs run, on a screen.

load helper

setup() { make_store 2:4; }

screen() { "$PYTHON" "$TESTS_DIR/screen.py" "$@"; }

MASKED='s/^[0-9]{2}:[0-9]{2}:[0-9]{2}  up [0-9.]+[smhd] /TIME  up SPAN /'

@test "it shows what is taken, and every job that waits or runs" {
  # Once, with -b; the bars are of nodes and cores.
  one=$(submit_held one -n6)
  running one
  fq-submit --quiet -n4 --job-name=two true
  MASK=$MASKED check 0 "TIME  up SPAN  1 pending, 1 running, 0 completed, 0 failed
 nodes [|||||||||||||||||||||||||||2/2]
 cores [||||||||||||||||||||||     6/8]

       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "" sh -c 'fq-top -b | head -n 5'
  expect "one R
two S" "$(fq-top -b | awk 'NR > 5 {print $3, $4}' | sort)"
  release one
}

@test "a queue's nodes and jobs alone" {
  # -q.
  printf '[queues.a]\nhosts = "node0"\n[queues.b]\nhosts = "node1"\n[policy.jobspec.defaults.system]\nqueue = "a"\n' >fq.toml
  fq-config load fq.toml
  one=$(submit_held one -n2 -q b)
  running one
  expect " cores [|||||||||||||||            2/4]
1" "$(fq-top -b -q b | grep cores; fq-top -b -q b | grep -c one)"
  expect " cores [                           0/4]
0" "$(fq-top -b -q a | grep cores; fq-top -b -q a | grep -c one)"
  refuses 1 "fq-top: queue 'c' does not exist (one of a, b)" fq-top -b -q c
  release one
}

@test "on a terminal it follows what happens until q" {
  # A job that starts is shown without a key.
  expect "exit 0" "$(screen 100x20 until '0 running' do 'fq-submit --quiet -n1 --job-name=comes sleep inf' until '1 running' until comes press q until '^exit 0' show -- fq-top)"
  fq-cancel --all --quiet
  fq-queue drain
}

# bats test_tags=own-store
@test "Enter looks into the instance inside a job, and q goes back" {
  # An arrow chooses among the jobs that run; instances in instances are opened alike, and each is left by itself.
  local id
  mkfifo up
  printf 'fq-batch -n1 --job-name=middle --wrap "fq-submit --quiet --job-name=inner sleep inf; echo >%s; sleep inf"\nsleep inf\n' "$WORK/up" >deep.sh
  id=$(fq-batch -n2 --job-name=outer --wrap <deep.sh)
  timeout "$LIMIT" sh -c 'read line <up'
  screen 100x20 until outer press Enter until 'no job is chosen \(the arrows choose one\)' press "Down Enter" \
    until "^inside job $id \(q goes back\)" until middle gone outer press "j Enter" until inner until "^inside job $id / job " \
    press q gone inner until middle press Left until outer gone middle press q until '^exit 0' show -- fq-top
  fq-cancel "$id"
  ended "$id"
}

# bats test_tags=own-store
@test "an instance that ends while it is looked into is left" {
  # So is told a job that has none.
  local id
  mkfifo up go
  id=$(fq-batch -n2 --job-name=outer --wrap <<<"fq-submit --quiet --job-name=inner sleep inf; echo >$WORK/up; read line <$WORK/go")
  timeout "$LIMIT" sh -c 'read line <up'
  screen 100x20 until outer press "Down Enter" until inner do "echo >$WORK/go" until "^job $id has ended" until '0 running' press q until '^exit 0' -- fq-top
  ended "$id"
  id=$(submit_held plain)
  running plain
  screen 100x20 until plain press "Down Enter" until "^job $id has no instance to look into" press q until '^exit 0' -- fq-top
  release plain
}

@test "what is no terminal is refused without -b" {
  # One line.
  refuses 1 "fq-top: standard output is no terminal that can be drawn on" fq-top
}
