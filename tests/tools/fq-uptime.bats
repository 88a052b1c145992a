#!/usr/bin/env bats
# fq-uptime: an instance in a line.

load helper

setup() { make_store 4:2; }

MASKED='s/^ [0-9]{2}:[0-9]{2}:[0-9]{2} run [0-9.]+[smhd]/ TIME run SPAN/'

# bats test_tags=own-store
@test "a line says since when it is there, whose it is, how deep and how large" {
  # As `flux uptime`.
  MASK=$MASKED check 0 " TIME run SPAN,  owner $(id -un),  depth 0,  size 4" "" fq-uptime
}

# bats test_tags=own-store
@test "drained nodes and what does not work are told" {
  # A second line where no queue takes jobs, or starts them.
  fq-resource drain 1,3 broken
  fq-queue stop --quiet
  MASK=$MASKED check 0 " TIME run SPAN,  owner $(id -un),  depth 0,  size 4,  2 drained
  scheduler stopped" "" fq-uptime
  fq-queue disable --quiet -m moving
  MASK=$MASKED check 0 " TIME run SPAN,  owner $(id -un),  depth 0,  size 4,  2 drained
  submit disabled,  scheduler stopped" "" fq-uptime
}

# bats test_tags=own-store
@test "of several queues all must be stopped" {
  # One that starts jobs is enough.
  printf '[queues.a]\nhosts = "node[0-1]"\n[queues.b]\nhosts = "node[2-3]"\n[policy.jobspec.defaults.system]\nqueue = "a"\n' >fq.toml
  fq-config load fq.toml
  fq-queue stop --quiet a
  MASK=$MASKED check 0 " TIME run SPAN,  owner $(id -un),  depth 0,  size 4" "" fq-uptime
  fq-queue stop --quiet b
  MASK=$MASKED check 0 " TIME run SPAN,  owner $(id -un),  depth 0,  size 4
  scheduler stopped" "" fq-uptime
}

@test "an instance inside a job says how deep it is" {
  # The store of a batch job's instance encloses it in one job.
  id=$(fq-batch -n2 --output=out --wrap fq-uptime)
  ended "$id"
  MASK=$MASKED check 0 " TIME run SPAN,  owner $(id -un),  depth 1,  size 1" "" cat out
}

@test "without a store, or with words, it is refused" {
  # One line, nothing made.
  refuses 2 "fq-uptime: unexpected operand 'now'" fq-uptime now
  refuses 1 "fq-uptime: there is no store in '$WORK/none' (fq init makes one, and fq submit does where none is named)" fq-uptime --store "$WORK/none"
}
