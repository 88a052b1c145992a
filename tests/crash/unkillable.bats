#!/usr/bin/env bats
# A job's shell dies, and a task of it cannot be killed: it sleeps in the kernel, in a file system that does not answer.
# What it has stays its own until it has ended, and nobody waits for that.

load helper

setup() {
  [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
  make_store 2:2
  mkdir place
}

# beside_hang: runs the script on standard input where $PLACE/hang makes who looks for it hang.
beside_hang() {
  cat >script
  PLACE=$WORK/place unshare --mount "$CRASH_DIR/fuse_mount.py" fuse.hang none place \
    bash -c '. "$0" && set -eE && trap "echo failed at line \$LINENO: \$BASH_COMMAND" ERR && . ./script' "$CRASH_DIR/unkillable.bash"
}

# bats test_tags=fuse
@test "R16.18 R27.42 what cannot be ended keeps what it has until it has ended" {
  # The job stays in CLEANUP, why says of what; no other job gets its cores, other commands go on; when it has ended
  # the next command frees them.
  run --separate-stderr beside_hang <<'S'
hang_and_kill_shell -c2 -N1
expect "C" "$(status_of "$id")"
expect "$id: 1 process is left after 1 kill attempt" "$(fq-job why "$id" | tail -n 1)"
expect "exception" "$(last_event "$id")"
others=$(fq-submit --cc=1-2 -c2 sh -c 'exec tail -f /dev/null')
expect "R S" "$(status_of $others)"
fq-tick
expect "C R S" "$(status_of "$id" $others)"
expect "$id 1 process is left after 1 kill attempt" "$(fq-jobs -n -f cleanup -o '{id} {contextual_info}' | sed 's/node[0-9]*: //')"
let_go
ended "$id"
fq-cancel --quiet $(echo "$others" | head -n 1)
ended $(echo "$others" | head -n 1)
expect "F" "$(status_of "$id")"
expect "start exception finish release free clean" "$(fq-job eventlog "$id" | cut -d' ' -f2 | tail -n 6 | xargs)"
fq-cancel --all --quiet
ended $others
S
  echo "$output"
  expect "0 " "$status $output"
}

# bats test_tags=fuse
@test "what cannot be ended and was killed often enough takes its node out of use" {
  # As max-kill-count says; then the job ends.
  printf '[exec]\nkill-timeout = "10ms"\nmax-kill-count = 2\n' >exec.toml
  fq-config load exec.toml
  run --separate-stderr beside_hang <<'S'
hang_and_kill_shell -N1
ended "$id"
expect "F" "$(status_of "$id")"
fq-job eventlog "$id" | sed -n 's/.*\(exception .*\)/\1/p'
fq-resource drain -n -o '{ranks} {reason}' | sed "s/$id/ID/"
let_go
S
  expect '0 exception type="exec" severity=0 note="the job shell was killed"
exception type="unkillable" severity=1 note="1 process was left after 2 kill attempts"
0 unkillable user processes for job ID' "$status $output"
  fq-resource undrain 0
}

# bats test_tags=fuse
@test "nobody waits for it under the lock" {
  # While the first command that finds it still waits for the end, others take the lock.
  run --separate-stderr beside_hang <<'S'
hang_and_kill_shell -N1 --keep
fq-tick &
finder=$!
until_true grep -q left <(fq-job info "$id" eventlog | sed -n 's/.*was killed.*/left/p')
timeout "$LIMIT" fq-submit --lock-timeout=1 true >/dev/null
wait "$finder"
expect "C" "$(status_of "$id")"
let_go
ended "$id"
S
  echo "$output"
  expect "0 " "$status $output"
}
