#!/usr/bin/env bats
# fq-run --input: which tasks get what comes on standard input.

load helper

setup() { make_store 2:2:2; }

@test "--input names tasks that the job has" {
  # However many these are: where that depends on the nodes it gets, nobody can say before.
  local of="fq-run: --input: there is no task"
  refuses 2 "$of 7, the job has tasks 0-1" fq-run --input=7 -n2 cat
  refuses 2 "$of 1, the job has task 0 alone" fq-run --input=0-1 cat
  refuses 2 "$of 2, the job has tasks 0-1" fq-run --input=2 -N2 cat
  refuses 2 "$of 4, the job has tasks 0-3" fq-run --input=0,4 -N2 --tasks-per-node=2 cat
  refuses 2 "$of 4, the job has tasks 0-3" fq-run --input=4 --cores=2 --tasks-per-core=2 cat
  refuses 2 "$of 1, the job has task 0 alone" fq-run --input=1 --cores=2 -N1 cat
  check 0 "1: text" "" sh -c 'echo text | fq-run -l --input=1 -n2 cat'
}
