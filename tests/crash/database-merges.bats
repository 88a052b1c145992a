#!/usr/bin/env bats
# Calls on files of the database fail while these are merged. The answer is what a fresh reader then sees.

load failing

setup() {
  make_store 1:4
  # Those who leave the files would start the merge themselves.
  mkdir bin
  ln "$FQ_BIN_DIR"/* bin 2>/dev/null || cp -Pf "$FQ_BIN_DIR"/* bin
  rm bin/fq-tick
  PATH=$WORK/bin:$PATH
  head -c 60000 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >large
}

# pile_up: eight small tables, which are one file after a merge.
pile_up() {
  local i
  for i in 1 2 3 4 5 6 7 8; do
    FILL=$(cat large) fq-submit --urgency=hold --quiet --cc=1-4 --env=N={cc} true
  done
  before=$((before + 32))
}

merged_or_not() {
  [ "$(count)" = "$before" ] || { echo "$before -> $(count)"; return 1; }
  # What was not merged waits for the next round.
  if [ "$code" = 0 ]; then pile_up; else one_line; fi
}

# merge_faults CALL HOW: nothing that was there is lost. The merged file is not the database's until it is whole.
merge_faults() {
  local before=0
  CALLS=$1
  HOWS=$2
  pile_up
  MANY=2 each_fault merged_or_not "$FQ_BIN_DIR/fq-tick" --compact
}

@test "syncs fail while files of the database are merged" { merge_faults sync EIO; }
@test "files cannot get their names while files of the database are merged" { merge_faults rename EIO; }
