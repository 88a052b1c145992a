#!/usr/bin/env bats
# The store of an older fq, and a store that another command has: what users are told meanwhile.

load helper

setup() { make_store 2:4:1; }

# Replaces the database by that of a store of format 1, of eleven jobs, whose queue is stopped.
make_old() {
  rm -r "$STORE/db"
  cp -r "$TESTS_DIR/../data/store-1" "$STORE/db"
  chmod -R u+w "$STORE/db"
}
# on_terminal COMMAND: runs it with a terminal as stderr, which is printed; stdout goes nowhere.
on_terminal() {
  "$PYTHON" - "$@" <<'PY'
import os, pty, subprocess, sys
master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
while True:
    try:
        text = os.read(master, 4096)
    except OSError:
        break
    if not text:
        break
    os.write(1, text)
sys.exit(child.wait())
PY
}

@test "one line says that an old store is brought forward" {
  # Once: the next command finds it as it should be.
  local line="fq-jobs: the store was made by an older fq: bringing it to the present format (11 jobs)"
  make_old
  check 0 "night
night
true
true
true
far" "$line" fq-jobs -n -o '{name}'
  check 0 "6" "" sh -c "fq-jobs -n -o '{id}' | wc -l"
}

@test "a terminal shows how far it is" {
  # A bar, which is left behind when all is done.
  make_old
  expect "Bringing the store to the present format: [] 100.0%" "$(on_terminal fq-jobs | tr '\r' '\n' | sed 's/\x1b\[K//; s/\[=*\]/[]/; s/ 0:0.*//' | grep 100)"
}

@test "a terminal says who has the store" {
  # After two seconds; in a pipe the command waits in silence.
  local pid
  hold_lock
  printf '%s fq-cancel\n' "${HOLDERS[-1]}" >"$STORE/lock"
  on_terminal fq-queue stop >told &
  pid=$!
  timeout "$LIMIT" sh -c 'until [ -s told ]; do :; done'
  expect "fq-queue: waiting for the store: it is locked by pid ${HOLDERS[-1]} (fq-cancel)" "$(tr -d '\r' <told)"
  release_lock
  wait "$pid"
  expect 1 "$(wc -l <told)"
}
