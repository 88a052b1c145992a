# Kills of single processes, for the tests in this folder.

load ../tools/helper
load next_fault

CRASH_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# use_faulty_programs: a work directory whose programs die at points that are armed by a file of that name in bin/fault.
use_faulty_programs() {
  FQ_BIN_DIR=${FAULTY_BIN_DIR:?}
  prepare
  # Points are armed beside the programs: each test has its own.
  mkdir bin
  ln "$FAULTY_BIN_DIR"/* bin 2>/dev/null || cp -Pf "$FAULTY_BIN_DIR"/* bin
  mkdir bin/fault
  PATH=$WORK/bin:$PATH
}

# kill_now PID...: SIGKILL, and waits until they are gone.
kill_now() {
  kill -KILL "$@"
  processes gone "$@"
}

# kill_waker: ends the store's waker, if there is one.
kill_waker() {
  local pid
  for pid in $(processes find "$STORE" fq-waker || true); do kill_now "$pid"; done
}

# kill_shell ID: ends the job's shell and nothing else.
kill_shell() { kill_now $(shell_of "$1"); }

# guest ID FILE: the path of a running job's guest file.
guest() { echo "$STORE/guest/$(ls "$STORE/guest" | grep -F "$(fq-job id --to=dothex "$1")" || fq-job id --to=dothex "$1")/$2"; }

# has FILE WORD: the file is there and has the word.
has() { grep -q "$2" "$1" 2>/dev/null; }

# is_gone PID: it has ended; a zombie has.
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null || [ ! -d "/proc/$1" ]; }

# all_free: nothing is allocated and a new job runs.
all_free() {
  check 0 "allocated 0" "" sh -c "fq-resource list -n -o '{state} {ncores}' | grep '^alloc'"
  check 0 "works" "" fq-run echo works
}

status_of() { fq-jobs -n -o '{status_abbrev}' "$@" | xargs; }

# wrap_shells COMMANDS: from here on the job shells are started through a shell script that runs COMMANDS first, in
# which "$@" are the shell's arguments. The other programs are the same files.
wrap_shells() {
  local bin=$WORK/bin
  if [ ! -d "$bin" ]; then
    mkdir "$bin"
    ln "$FQ_BIN_DIR"/fq* "$bin" 2>/dev/null || cp -Pf "$FQ_BIN_DIR"/fq* "$bin"
    mv "$bin/fq-shell" "$bin/fq-shell.real"
    PATH=$bin:$PATH
  fi
  printf '#!/bin/sh\n%s\nexec %q "$@"\n' "$1" "$bin/fq-shell.real" >"$bin/fq-shell"
  chmod +x "$bin/fq-shell"
}

# hold_shells: each job shell writes its pid to $WORK/shell.up before it does anything, and stays there.
hold_shells() {
  mkfifo "$WORK/shell.up" "$WORK/shell.go"
  wrap_shells "if [ -p '$WORK/shell.go' ]; then echo \$\$ >'$WORK/shell.up'; read line <'$WORK/shell.go'; fi"
}
held_shell() { timeout "$LIMIT" cat "$WORK/shell.up"; }
