#!/usr/bin/env bats
# What users may try against the store that they share, and what it gets them: the list is in README.md beside this.

load helper

# others_are_served: another user asks, and changes something.
others_are_served() {
  expect "Job submission is enabled" "$(as fqtest-b fq-queue status | head -n1)"
  as fqtest-b sh -c 'cd /mnt && fq-submit --quiet --urgency=hold true'
}
# held: a fifo for the input of what stays until it is let go, whose number is in HELD.
held() {
  rm -f "$BATS_TEST_TMPDIR/held" "$(where held)"
  mkfifo "$BATS_TEST_TMPDIR/held"
  exec {HELD}<>"$BATS_TEST_TMPDIR/held"
}

# groups_of KIND: where control groups of that kind of file system, which have a freezer, are mounted; nothing where they are not.
groups_of() {
  local root
  for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/freezer; do
    if [ "$(stat -fc %T "$root" 2>/dev/null)" = "$1" ]; then
      echo "$root"
      return
    fi
  done
}
# freezes ROOT FILE FROZEN THAWED SEEN_IN LINE: who calls from a group there is frozen, with the gate; who asks is answered by an
# engine that is not.
freezes() {
  local group=$1/fqtest-$$-$RANDOM id pid engine
  mkdir "$group"
  id=$(as fqtest-b sh -c 'cd /mnt && fq-submit sleep 1000')
  (
    echo "$BASHPID" >"$group/cgroup.procs"
    as fqtest-a fq-job wait "$id"
  ) 3>&- &
  pid=$!
  until_so engine_of_a
  engine=$(pgrep -xf 'fq-engine --store /var/lib/fq --user 64101 --user-group 64101( .*)?')
  [ "$(wc -l <"$group/cgroup.procs")" -ge 2 ]
  expect "" "$(grep -F "${group##*/}" "/proc/$engine/cgroup" || :)"
  echo "$3" >"$group/$2"
  until_so grep -qx "$6" "$group/$5"
  others_are_served
  as fqtest-b fq-cancel --quiet "$id"
  echo "$4" >"$group/$2"
  wait "$pid" || :
  until_so rmdir "$group"
}

@test "a frozen group of processes freezes no engine" {
  # Of the control groups that the kernel has here, of either version.
  local root
  root=$(groups_of cgroup2fs)
  [ -z "$root" ] || freezes "$root" cgroup.freeze 1 0 cgroup.events "frozen 1"
  root=$(groups_of cgroupfs)
  [ -z "$root" ] || freezes "$root" freezer.state FROZEN THAWED freezer.state FROZEN
  others_are_served
}
no_gate_of_a() { ! pgrep -r R,S,D,T -x fq-gate >/dev/null; }
export -f no_gate_of_a
gate_of_a() { ! no_gate_of_a; }
engine_of_a() { pgrep -xf 'fq-engine --store /var/lib/fq --user 64101 --user-group 64101( .*)?' >/dev/null; }
export -f engine_of_a

@test "a stopped or killed gate holds nobody up" {
  # Stopped while it is answered; killed as soon as there is a gate, or an engine, of many submissions, which are there whole
  # or not at all.
  local id gate event asks
  id=$(as fqtest-b sh -c 'cd /mnt && fq-submit sleep 1000')
  as fqtest-a fq-job wait "$id" 3>&- &
  until_so engine_of_a
  gate=$(pgrep -r R,S,D -u 64101 -x fq-gate)
  as fqtest-a kill -STOP "$gate"
  others_are_served
  as fqtest-a kill -KILL "$gate"
  wait "$!" || :
  for event in no_gate_of_a gate_of_a engine_of_a; do
    for _ in {1..8}; do
      as fqtest-a sh -c 'cd /mnt && exec fq-submit --quiet --urgency=hold --cc=1-50 true' 3>&- 2>/dev/null &
      asks=$!
      until "$event" || ! kill -0 "$asks" 2>/dev/null; do :; done
      pkill -KILL -u 64101 'fq-gate|fq-submit' || :
      wait "$asks" 2>/dev/null || :
    done
  done
  others_are_served
  expect 0 "$(($(as fqtest-a fq-jobs -n -u fqtest-a | wc -l) % 50))"
  as fqtest-b fq-cancel --quiet "$id"
  ended_as fqtest-b "$id"
  as fq fq-fsck | grep -q ': sound$'
}

@test "descriptors that are closed, full, endless, or that do not block" {
  # shellcheck disable=SC2016
  as fqtest-a timeout "$LIMIT" sh -c 'fq-gate </dev/zero >/dev/null'
  # shellcheck disable=SC2016
  as fqtest-a timeout "$LIMIT" sh -c 'fq-gate </dev/urandom >/dev/full 2>/dev/full; fq-gate </dev/null >&-; fq-gate <&- >/dev/full; true'
  [[ "$(speaks fqtest-a shared)" == "R "* ]]
  others_are_served
}

@test "descriptors that another process toggles, and that send the engine signals" {
  expect 400 "$(speaks fqtest-a toggled 200)"
  others_are_served
}

# endless_files: a FUSE file system of user a's in /mnt/fuse, until there are no_endless_files.
endless_files() {
  rm -f "$(where fuse.waited)"
  world /usr/libexec/fuse.py fqtest-a /mnt/fuse </dev/null 3>&- &
  until_so grep -q fuse.endless "/proc/$WORLD_PID/mounts"
}
no_endless_files() {
  pkill -KILL -f /usr/libexec/fuse.py
  world umount -l /mnt/fuse
}

# bats test_tags=fuse
@test "files of a FUSE file system that never answers" {
  # As the gate's input and output, as a script, as the place to ask from, as a job's input: who opens them waits, and nobody else.
  # (Not even a signal ends that, but the end of the file system.)
  local waiting waits id greeting='{"protocol":1,"command":"fq-test","damaged":false}'
  world install -d -o fqtest-a /mnt/fuse
  printf "H\0\0\0\\$(printf %o ${#greeting})%s" "$greeting" >"$(where question)"
  endless_files
  [[ "$(as fqtest-a sh -c 'cd /mnt/fuse && exec fq-queue status')" == "Job submission is enabled"* ]]
  no_endless_files
  for waiting in 'exec fq-gate </mnt/fuse/endless' 'exec fq-gate </mnt/question >/mnt/fuse/endless' 'exec fq-batch -n1 /mnt/fuse/endless' \
    'exec fq-queue status >/mnt/fuse/endless'; do
    endless_files
    as fqtest-a sh -c "cd /mnt && $waiting" 3>&- &
    waits=$!
    until_so test -e "$(where fuse.waited)"
    others_are_served
    no_endless_files
    wait "$waits" || :
    until_so no_gate_of_a
  done
  endless_files
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit --input=/mnt/fuse/endless cat')
  until_so test -e "$(where fuse.waited)"
  as fqtest-a fq-cancel --quiet "$id"
  others_are_served
  no_endless_files
  ended_as fqtest-a "$id"
}

@test "signals that are blocked, ignored or pending, and timers, are left behind" {
  # One that was pending ends the gate before it has begun anything; which signal ever, no other is concerned.
  [[ "$(speaks fqtest-a signalled 2>/dev/null)" == "R "* ]]
  speaks fqtest-a pending >/dev/null 2>&1 || :
  until_so no_gate_of_a
  others_are_served
}

@test "any limit at 0 costs its user an answer at most" {
  local limit
  for limit in AS CORE CPU DATA FSIZE MEMLOCK MSGQUEUE NICE NOFILE NPROC RSS RTPRIO RTTIME SIGPENDING STACK; do
    speaks fqtest-a under "RLIMIT_$limit" >"$(where said)" 2>/dev/null || :
    grep -qE '^(R |gone|$)' "$(where said)" || [ ! -s "$(where said)" ]
  done
  [[ "$(speaks fqtest-a under RLIMIT_FSIZE)" == "R "* ]]
  others_are_served
  as fq fq-fsck | grep -q ': sound$'
}

@test "requests that are huge or nested without end are refused" {
  expect "E 1073741824 bytes are too many at once: at most 268435456" "$(speaks fqtest-a claim 1073741824)"
  expect "E 4294967295 bytes are too many at once: at most 268435456" "$(speaks fqtest-a claim 4294967295)"
  local open
  for open in '[' '{"a":' '{"groups":['; do
    [[ "$(speaks fqtest-a many submit '' "$open" 1000000 '')" == "E request: line 1, column "*": nested more than 128 levels deep" ]]
  done
  others_are_served
}

@test "what is the owner's, and the operators', is no user's" {
  # Each request of the table, so that none is forgotten; and of jobs, another's.
  local name id
  id=$(as fq fq-job id --to=dec "$(as fq fq-submit --urgency=hold true)")
  for name in $(jq -r '.requests | to_entries[] | select(.value.who == "the owner of the store, and operators") | .key' "$BATS_TEST_DIRNAME/../../schema/requests.json"); do
    speaks fqtest-a ask "$name" <<<'{}' | grep -qE '^E (only the owner may|request)' || { echo "$name: $(speaks fqtest-a ask "$name" <<<'{}')"; false; }
  done
  expect "E only the owner may stop a queue" "$(speaks fqtest-a ask queue <<<'{"verb":1}' | sed 's/E request.*/E only the owner may stop a queue/')"
  refuses 1 "fq-job: urgency 17 is reserved for the owner: at most 16" as fqtest-a sh -c 'cd /mnt && fq-job urgency "$(fq-submit --urgency=hold true)" 17'
  refuses 1 "fq-submit: urgency 31 is reserved for the owner: at most 16" as fqtest-a sh -c 'cd /mnt && fq-submit --urgency=31 true'
  expect "E job $(as fq fq-job id --to=f58 "$id") belongs to user 990" "$(speaks fqtest-a ask tasks <<<"{\"id\":$id}")"
}

@test "a thousand gates at once of one user: others are answered" {
  # All but 64 wait without a look at the store, and cost nobody else anything but their processes.
  held
  speaks fqtest-a crowd 1000 <&"$HELD" 3>&- &
  until_so test -e "$(where held)"
  others_are_served
  expect 0 "$(as fqtest-b timeout "$LIMIT" fq-run true >/dev/null 2>&1; echo $?)"
  exec {HELD}>&-
  pkill -u 64101 -f speak.py || :
  wait "$!" || :
  others_are_served
}

@test "a script that never ends, or is another's, is no matter of the engine's" {
  # Commands read what users name, before they ask.
  world sh -c 'mkfifo -m 666 /mnt/endless'
  as fqtest-a sh -c 'cd /mnt && exec fq-batch -n1 /mnt/endless' 3>&- &
  local waits=$!
  others_are_served
  until_so pgrep -u 64101 -fx 'fq-batch -n1 /mnt/endless'
  pkill -u 64101 -fx 'fq-batch -n1 /mnt/endless'
  wait "$waits" || :
  world sh -c 'echo true >/mnt/secret; chmod 600 /mnt/secret'
  run --separate-stderr as fqtest-a sh -c 'cd /mnt && fq-batch -n1 /mnt/secret'
  # shellcheck disable=SC2154
  [[ "$status" != 0 && "$stderr" == *"Permission denied"* ]]
}

@test "links, devices, FIFOs and huge files in the guest directory are nobody's documents" {
  # The keeper opens none of them.
  local id
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit sh -c "cd \$FLUX_JOB_GUEST_DIR; ln -s /etc/shadow link; ln -s /var/lib/fq store; mkfifo pipe; truncate -s 1T sparse; mkdir directory; echo kept >kept; ln kept hard"')
  ended_as fqtest-a "$id"
  expect "guest.hard guest.kept" "$(as fqtest-a fq-job info "$id" | grep '^guest\.' | grep -vxE 'guest\.(exec\.eventlog|output|input)' | xargs)"
  expect "kept kept" "$(as fqtest-a fq-job info "$id" guest.kept) $(as fqtest-a fq-job info "$id" guest.hard)"
  grep -qF "not kept as guest.NAME: 'directory' (no regular file), 'link' (no regular file), 'pipe' (no regular file) and 2 more" \
    <<<"$(as fqtest-a fq-job attach "$id" 2>&1)"
  # Output goes where its user may write, and input comes from what its user may read.
  id=$(as fqtest-a sh -c 'cd /mnt && ln -sf /var/lib/fq/lock evil && fq-submit --output=/mnt/evil echo broken')
  ended_as fqtest-a "$id"
  expect F "$(as fqtest-a fq-jobs -a -n -o '{status_abbrev}' "$id")"
  id=$(as fqtest-a sh -c 'cd /mnt && truncate -s 1T huge && fq-submit --input=/mnt/huge sh -c "head -c 10 | wc -c"')
  ended_as fqtest-a "$id"
  expect 10 "$(as fqtest-a fq-job attach "$id")"
  others_are_served
}

@test "what was signed once runs once: after a cancel, after a restore, in a row of many, and on no other machine" {
  as fqtest-a sh -c 'cd /mnt && fq-submit --dry-run sh -c "echo ran >>/mnt/runs"' >"$(where spec)"
  as fqtest-a sh -c 'fq-imp sign fq 0 0 3600 </mnt/spec' >"$(where spec.J)"
  submit_again() {
    python3 -c 'import json, sys
print(json.dumps({"groups": [{"jobspec": {"pieces": [open(sys.argv[1]).read()]}, "J": open(sys.argv[2]).read(), "urgency": int(sys.argv[3])}]}))' \
      "$(where spec)" "$(where spec.J)" "${1:-16}" | speaks fqtest-a ask submit | sed -E 's/.*\[([0-9]+)\].*/\1/'
  }
  # A job that was canceled before it began did not run: the request runs, once.
  local id
  id=$(submit_again 0)
  as fqtest-a fq-cancel --quiet "$id"
  ended_as fqtest-a "$(submit_again)"
  ended_as fqtest-a "$(submit_again)"
  expect ran "$(world cat /mnt/runs)"
  # A store of before it ran does not know of it; root's note does.
  until_so no_process_of_the_store
  as fq fq-dump /var/lib/fq/dump
  until_so no_process_of_the_store
  world sh -c 'mv /var/lib/fq/dump /mnt/dump; find /var/lib/fq -mindepth 1 -delete'
  as fq fq-restore --store /var/lib/fq /mnt/dump
  ended_as fqtest-a "$(submit_again)"
  expect ran "$(world cat /mnt/runs)"
  # Another machine has another number.
  world sh -c 'cp /etc/machine-id /etc/machine-id.before; echo ffffffffffffffffffffffffffffffff >/etc/machine-id'
  run submit_again
  world mv /etc/machine-id.before /etc/machine-id
  expect "E J is for another machine" "$output"
}

@test "what is started from within a job is not in its namespaces, and does not end with it" {
  # One job submits another, which starts at once, and ends; one more kills all that it can see.
  local id other
  # shellcheck disable=SC2016
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit sh -c "fq-submit sleep 4713 >/mnt/started; readlink /proc/self/ns/pid >/mnt/first"')
  ended_as fqtest-a "$id"
  other=$(cat "$(where started)")
  as fqtest-a timeout "$LIMIT" fq-job wait-event --quiet "$other" start >/dev/null
  expect "CD R" "$(as fqtest-a fq-jobs -a -n -o '{status_abbrev}' "$id") $(as fqtest-a fq-jobs -n -o '{status_abbrev}' "$other")"
  until_so pgrep -u 64101 -fx 'sleep 4713'
  [ "$(cat "$(where first)")" != "$(readlink "/proc/$(pgrep -u 64101 -fx 'sleep 4713')/ns/pid")" ]
  # shellcheck disable=SC2016
  id=$(as fqtest-b sh -c 'cd /mnt && fq-submit sh -c "fq-submit sleep 4714 >/mnt/second; kill -9 -1"')
  ended_as fqtest-b "$id"
  id=$(cat "$(where second)")
  as fqtest-b timeout "$LIMIT" fq-job wait-event --quiet "$id" start >/dev/null
  as fqtest-b fq-cancel --quiet "$id"
  as fqtest-a fq-cancel --quiet "$other"
  ended_as fqtest-a "$other"
  as fq fq-fsck | grep -q ': sound$'
}

@test "nothing that a caller's process hands on reaches the jobs of others" {
  # Personality, timer slack, huge pages, what a dump has: the caller's engine starts the job of another user.
  cp "$BATS_TEST_DIRNAME/inherited.py" "$(where inherited.py)"
  chmod 755 "$(where inherited.py)"
  local id before
  before=$(as fqtest-b sh -c 'cd /mnt && fq-run python3 /mnt/inherited.py show')
  as root fq-queue stop --quiet
  id=$(as fqtest-b sh -c 'cd /mnt && fq-submit python3 /mnt/inherited.py show')
  as root python3 /mnt/inherited.py set fq-queue start --quiet
  ended_as fqtest-b "$id"
  expect "$before" "$(as fqtest-b fq-job attach "$id")"
  # Kernels before 6.3 do not have it.
  if as fqtest-a python3 /mnt/inherited.py deny true; then
    refuses 1 "fq-gate: a program that has set PR_SET_MDWE (no memory is both written and run) cannot be served" \
      as fqtest-a python3 /mnt/inherited.py deny fq-gate
  fi
}

@test "root looks after the store as its user" {
  # Who has taken that over waits with links and jobs of root's: a link in place of the lock leads root nowhere.
  world sh -c 'echo mine >/etc/important; chmod 600 /etc/important'
  expect "checked 0 jobs: sound" "$(as root fq-fsck | tail -n1)"
  world sh -c 'mv /var/lib/fq/lock /var/lib/fq/lock.before; ln -s /etc/important /var/lib/fq/lock'
  run as root fq-fsck --repair
  [ "$status" != 0 ]
  expect mine "$(world cat /etc/important)"
  world mv /var/lib/fq/lock.before /var/lib/fq/lock
  as fqtest-a sh -c 'cd /mnt && fq-run true'
  as fq fq-dump /mnt/of-fq.dump
  world sh -c 'chmod 600 /mnt/of-fq.dump; chown 0:0 /mnt/of-fq.dump; mkdir /mnt/aside; mv /var/lib/fq/* /mnt/aside'
  as root fq-restore --quiet /mnt/of-fq.dump
  expect "" "$(world find /var/lib/fq ! -user fq)"
  as root fq-fsck --repair | grep -q ': sound$'
  expect "" "$(world find /var/lib/fq ! -user fq)"
  as fqtest-a sh -c 'cd /mnt && fq-run true'
}

@test "who is given the number of a user that is no more gets nothing of that one's jobs" {
  # Neither documents nor output, running or ended; what was the number's before stays the batch system's to end.
  local ended runs
  ended=$(as fqtest-a sh -c 'cd /mnt && SECRET=hunter2 fq-submit sh -c "echo private"')
  ended_as fqtest-a "$ended"
  runs=$(as fqtest-a sh -c 'cd /mnt && fq-submit sleep 1000')
  world sed -i 's/^fqtest-a:/fqtest-n:/' /etc/passwd /etc/shadow /etc/group
  for id in "$ended" "$runs"; do
    refuses 1 "fq-job: job $id is of 'fqtest-a', who was user 64101 before 'fqtest-n'" as fqtest-n fq-job info "$id" jobspec
    refuses 1 "fq-job: job $id is of 'fqtest-a', who was user 64101 before 'fqtest-n'" as fqtest-n fq-job info "$id" J
    refuses 1 "fq-job: job $id is of 'fqtest-a', who was user 64101 before 'fqtest-n'" as fqtest-n fq-job attach "$id"
  done
  refuses 1 "fq-cancel: job $runs is of 'fqtest-a', who was user 64101 before 'fqtest-n'" as fqtest-n fq-cancel "$runs"
  expect "$runs R" "$(as fqtest-b fq-jobs -A -n -o '{id} {status_abbrev}' "$runs")"
  as root fq-cancel --quiet "$runs"
  world sed -i 's/^fqtest-n:/fqtest-a:/' /etc/passwd /etc/shadow /etc/group
  ended_as fqtest-a "$runs"
  expect private "$(as fqtest-a fq-job attach "$ended")"
}

@test "nobody but a job's user has input for it" {
  # Not root, not operators: what is typed is done as that user.
  local id
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit -o input.stdin.type=service cat')
  refuses 1 "fq-job: job $id belongs to user 64101: nobody else has input for it" \
    as root sh -c "echo root | fq-job attach $id"
  as fqtest-a sh -c "echo own | fq-job attach $id" >"$BATS_TEST_TMPDIR/said"
  expect own "$(cat "$BATS_TEST_TMPDIR/said")"
}

@test "an engine that stays answers others, is nobody's to stop, and holds nothing up" {
  # Killed or stopped by who has taken fq over: the next command has an engine of its own. What lies at its place is
  # connected to as fq, never as root.
  local stays
  # It stays for a moment only: stopped within that.
  until as fqtest-a fq-queue status >/dev/null && stays=$(pgrep -f '^fq-engine .*--stay') && as fq kill -STOP "$stays"; do :; done
  # shellcheck disable=SC2086
  refuses 1 "kill: ($stays): Operation not permitted" as fqtest-a kill -CONT $stays
  others_are_served
  as fq kill -KILL "$stays"
  others_are_served
  until_so nobody_stays
  world sh -c 'umask 0; python3 -c "
import os, socket, struct
os.mkdir(\"/mnt/bait\")
bait = socket.socket(socket.AF_UNIX)
bait.bind(\"/mnt/bait/socket\")
bait.listen()
open(\"/mnt/bait/ready\", \"w\").close()
come, _ = bait.accept()
peer = struct.unpack(\"3i\", come.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
open(\"/mnt/bait/peer\", \"w\").write(str(peer[1]) + chr(10))
" &'
  until_so test -e "$(where bait/ready)"
  as fq ln -sf /mnt/bait/socket /var/lib/fq/door/engine
  others_are_served
  expect 990 "$(cat "$(where bait/peer)")"
}
