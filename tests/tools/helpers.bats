#!/usr/bin/env bats
# fq-shell, fq-waker and fq-tick: programs that fq starts itself.

load helper

setup() { make_store 1:1; }

# bats test_tags=waker
@test "fq-shell and fq-waker say that fq starts them" {
  # A usage error with one line each.
  refuses 2 "fq-waker: expected --store DIR: it is started by fq alone" fq-waker
  refuses 2 "fq-shell: expected --store DIR ID: it is started by fq alone" fq-shell
  refuses 2 "fq-shell: expected --store DIR ID: it is started by fq alone" fq-shell --help
}

@test "fq-shell runs no job without the job's lock" {
  # Started by hand for a job that exists it does nothing.
  local id
  id=$(fq-submit --urgency=hold sh -c 'echo ran >ran')
  run fq-shell --store "$STORE" "$(fq-job id --to=dothex "$id")" 3<&-
  expect 1 "$status"
  [ ! -e ran ]
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "fq-waker for an idle store ends at once" {
  # Nothing to wait for; an unknown store is no reason to stay either.
  check 0 "" "" timeout "$LIMIT" fq-waker --store "$STORE"
  run timeout "$LIMIT" fq-waker --store "$WORK/nowhere"
  [ "$status" != 124 ]
  [ ! -e "$WORK/nowhere" ]
}

@test "fq-tick is silent" {
  # With and without work; a missing store is told.
  check 0 "" "" fq-tick
  refuses 2 "fq-tick: unexpected operand 'x'" fq-tick x
  refuses 1 "fq-tick: there is no store in '$WORK/nowhere' (fq init makes one, and fq submit does where none is named)" \
    fq-tick --store "$WORK/nowhere"
}
