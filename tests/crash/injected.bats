#!/usr/bin/env bats
# What the kernel seldom answers: strace has it say so.

load helper

setup() { make_store 1:2; }

# answered WHAT COMMAND...: runs it with this answer to some of its calls (strace(1), inject=). Output and code are the
# command's.
answered() { strace -qq -f -o trace -e trace="${1%%:*}" -e inject="$1" "${@:2}"; }

@test "a store on a network file system" {
  # Everybody refuses it, and none is made there. Types as in statfs(2): NFS, SMB, AFS, Lustre.
  local type command
  local hint="(locks and syncs must be this machine's own: use --store with a local directory)"
  for type in 6969 424d53ff 4f414653 d00bd00b; do
    for command in "fq-jobs" "fq-queue status" "fq-submit true" "fq-cancel --all" "fq-run true" "fq-tick"; do
      # shellcheck disable=SC2086
      refuses 1 "${command%% *}: the store '$STORE' is on a network file system $hint" \
        answered "statfs:poke_exit=@arg2=$(printf '%-16s' "$type" | tr ' ' 0)" $command
    done
  done
  refuses 1 "fq-init: the store '$WORK/new' is on a network file system $hint" \
    answered statfs:poke_exit=@arg2=6969000000000000 fq-init --store "$WORK/new" --test-nodes 1:2
  [ ! -e new ]
  check 0 "works" "" fq-run echo works
}

@test "a merger waits for the lock, to plan and to install" {
  # Another one has it when it comes: what it has merged is not thrown away.
  local n i before
  mkdir bin
  ln "$FQ_BIN_DIR"/* bin 2>/dev/null || cp "$FQ_BIN_DIR"/* bin
  rm bin/fq-tick # who leaves files would start it
  for n in 1 2; do
    for i in 1 2 3 4 5 6; do
      bin/fq-submit --urgency=hold --quiet --cc=1-4 --env="FILL=$n$i{cc}$(head -c 100000 /dev/zero | tr '\0' x)" true
    done
    before=$(ls "$STORE"/db/*.sst | wc -l)
    strace -qq -f -o trace -P "$STORE/lock" -e trace=flock -e inject=flock:error=EAGAIN:when="$n" fq-tick --compact
    grep -q INJECTED trace
    [ "$(ls "$STORE"/db/*.sst | wc -l)" -lt "$before" ] || { cat trace; false; }
  done
}
