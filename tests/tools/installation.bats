#!/usr/bin/env bats
# What `cmake --install` puts somewhere, and that it works wherever it is moved.

load helper

setup() { prepare; }

# installed: the build tree that the programs under test are of, installed below there/usr.
installed() { cmake --install "$FQ_BIN_DIR/.." --prefix "$WORK/there/usr" >/dev/null; }

@test "an installation works from wherever it is, through its links" {
  # Commands are links beside the program, or from libexec to it; jobs run, and what starts at boot is found.
  installed
  mv there elsewhere
  local bin=$WORK/elsewhere/usr/bin id
  PATH=$bin:/usr/bin:/bin
  expect "fq" "$(readlink "$bin/fq-submit")"
  expect "../../bin/fq" "$(readlink "$bin/../libexec/fq/fq-tick")"
  MASK='s/(found|made) .*/\1/' fq init --quiet --store "$STORE"
  export FQ_STORE=$STORE
  expect "$(fq R encode --local | fq R decode --short)" "$(fq resource R | fq R decode --short)"
  check 0 "works" "" fq run echo works
  id=$(fq-submit true)
  ended "$id"
  check 0 "CD" "" "$bin/fq-jobs" -n -a -o '{status_abbrev}' "$id"
  "$bin/../libexec/fq/fq-tick"
  check 0 "fq-tick 0.1.0" "" "$bin/../libexec/fq/fq-tick" --version
  refuses 2 "fq: there is no command 'jbos' (did you mean 'jobs'?)" fq jbos
  mkdir mine
  printf '#!/bin/sh\necho "hello $*"\n' >mine/fq-hello
  chmod +x mine/fq-hello
  PATH=$WORK/mine:$PATH check 0 "hello you" "" fq hello you
  [ -z "$(find "$WORK/elsewhere" -xtype l)" ]
  # Where a part of it is missing the jobs say which.
  rm "$bin/../libexec/fq/fq-shell"
  local root=$WORK/elsewhere/usr
  check 137 "" "fq-run: exec: cannot find the program 'fq-shell': neither '$root/libexec/fq/fq-shell' nor '$root/bin/fq-shell' can be executed" \
    fq run true
}

@test "beside another fq it is fqueue, and says so" {
  # As with Debian's nq, and its fq for binary formats. Nothing of theirs is replaced.
  mkdir other
  printf '#!/bin/sh\necho other\n' >other/fq
  chmod +x other/fq
  PATH=$WORK/other:$PATH
  expect "-- fq: another program, $WORK/other/fq, comes first on PATH: this one is called as fqueue, too" \
    "$(cmake --install "$FQ_BIN_DIR/.." --prefix "$WORK/there/usr" | grep another)"
  PATH=$WORK/other:$WORK/there/usr/bin:/usr/bin:/bin
  check 0 "other" "" fq
  check 0 "fq 0.1.0" "" fqueue --version
  fqueue init --quiet --store "$STORE" --test-nodes 1:1
  check 0 "works" "" fqueue --store "$STORE" run echo works
  refuses 1 "fq-jobs: there is no store in '$WORK/none' (fq-init makes one, and fq-submit does where none is named)" fqueue jobs --store "$WORK/none"
  refuses 2 "fqueue: there is no command 'jbos' (did you mean 'jobs'?)" fqueue jbos
  refuses 2 "fqueue: there is no command 'bogus' (\`fqueue\` alone lists them)" fqueue bogus
  expect "Usage: fqueue COMMAND [ARG...]" "$(fqueue | head -1)"
  PATH=$WORK/there/usr/bin:/usr/bin:/bin
  expect "" "$(cmake --install "$FQ_BIN_DIR/.." --prefix "$WORK/there/usr" | grep another)"
}

# bats test_tags=footprint
@test "an installation is small" {
  # Every command is the same program: the figure is of all that is installed.
  installed
  [ "$(du -sk there | cut -f1)" -lt 40000 ]
}

@test "what cannot look at the hardware says so" {
  # hwloc is asked by a program of its own, whose end, or lack, is told in one line.
  installed
  local helper=$WORK/there/usr/libexec/fq/fq-topology
  PATH=$WORK/there/usr/bin:/usr/bin:/bin
  check 0 "$(fq R encode --local)" "" fq R encode --local
  printf '#!/bin/sh\nkill -SEGV $$\n' >"$helper"
  refuses 1 "fq-R: cannot read this machine's topology: fq-topology: signal 11 ended it" fq R encode --local
  refuses 1 "fq-init: cannot read this machine's topology: fq-topology: signal 11 ended it" fq init --store "$STORE"
  [ ! -e "$STORE" ]
  printf '#!/bin/sh\necho "fq-topology: no such luck" >&2\nexit 1\n' >"$helper"
  refuses 1 "fq-R: no such luck" fq R encode --local
  rm "$helper"
  refuses 1 "fq-R: cannot find the program 'fq-topology': neither '$helper' nor '$WORK/there/usr/bin/fq-topology' can be executed" fq R encode --local
}
