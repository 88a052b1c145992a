#!/usr/bin/env bats
# fq-imp kill, and that nothing of a job is left when it says so.

load helper

setup() { read -r WORLD_PID <"$BATS_FILE_TMPDIR/world"; }
setup_file() { make_world; }
teardown_file() { end_world; }

imp() { as fq fq-imp "$@"; }
# left_of ARGUMENT...: what `kill` answers: COUNT, LAST.
left_of() { read -r COUNT LAST _ < <(imp kill "$@"); }
# marked MARK: how many processes of the machine have this argument, as `sleep MARK` has.
marked() { pgrep -cfx "sleep $1" || :; }
none_is_marked() { [ "$(pgrep -cfx "sleep $1")" = 0 ]; }
one_is_marked() { [ "$(pgrep -cfx "sleep $1")" = 1 ]; }
export -f none_is_marked one_is_marked
# up NAME: waits until the job NAME has told on its standard output that it is up.
is_up() { grep -q up "$1" 2>/dev/null; }
export -f is_up
up() { until_so is_up "$(where "$1.out")"; }
# begin ID USER NAME: runs the script on stdin in the background, until it is up.
begin() {
  signed "$2" "$3"
  message "$3" "$1"
  keeper "$3" 3>&- &
  KEEPER=$!
  up "$3"
}
# A job that has left whatever a process can leave: its session, its parent, its environment, its terminal.
escaped() {
  cat <<JOB
sleep $1 &
env -i setsid sh -c '(trap "" TERM HUP INT; exec setsid sleep $1) &'
(trap "" HUP; setsid -f env -i nohup nice sleep $1 >/dev/null 2>&1 </dev/null)
until [ "\$(ps -eo args= | grep -cx 'sleep $1')" = 3 ]; do sleep 0.02; done
echo up
sleep $1
JOB
}
# first_of ID: the pid of the first process of the job's namespace, by the record (imp/record.h).
first_of() {
  /usr/bin/python3 -c 'import struct, sys
print(struct.unpack_from("<i", open(sys.argv[1], "rb").read(), 40)[0])' "/proc/$WORLD_PID/root/run/fq-imp/store.$1"
}
imp_of() { ps -o ppid= -p "$(first_of "$1")" | tr -d ' '; }

@test "a killed job leaves nothing: not what left its session, its parent or its environment" {
  begin 1 fqtest-a escapes < <(escaped 701001)
  expect 4 "$(marked 701001)"
  left_of store 1 1 0; [ "$COUNT" -ge 5 ]
  expect "$(first_of 1)" "$LAST"
  expect "empty" "$(imp kill store 1 1 9)"
  expect 0 "$(marked 701001)"
  wait "$KEEPER"
  ran escapes up 137
  expect "" "$(ls "/proc/$WORLD_PID/root/run/fq-imp")"
}

@test "a job whose first program ends leaves nothing either" {
  signed fqtest-a leaves <<'JOB'
setsid -f sleep 701002
env -i setsid sh -c 'trap "" TERM; (sleep 701002 &) &'
echo done
exit 3
JOB
  message leaves 2
  keeper leaves
  ran leaves done 3
  expect 0 "$(marked 701002)"
  expect empty "$(imp kill store 2 1 0)"
}

@test "signals come from the user: what is another's, and what is outside, they do not reach" {
  # TERM to all of the job; one of the same user outside goes on, as does one of another job of the user.
  as fqtest-a sleep 701003 3>&- &
  until_so one_is_marked 701003
  begin 3 fqtest-a other <<<'sleep 701003 & echo up; wait'
  begin 4 fqtest-a told <<'JOB'
trap 'echo told; exit 5' TERM
sleep 701004 &
echo up
wait
JOB
  left_of store 4 1 15; [ "$COUNT" -ge 1 ]
  wait "$KEEPER"
  ran told "up
told" 5
  expect empty "$(imp kill store 4 1 0)"
  expect 0 "$(marked 701004)"
  expect 2 "$(marked 701003)"
  expect empty "$(imp kill store 3 1 9)"
  expect 1 "$(marked 701003)"
  pkill -fx "sleep 701003"
}

@test "a job that stops and kills who signals it does not hinder its end" {
  begin 5 fqtest-a fights <<'JOB'
sh -c 'while :; do pkill -STOP -x fq-imp; kill -STOP 1; kill -KILL 1; done' 2>/dev/null &
trap '' TERM
echo up
sleep 701005
sleep 701005
JOB
  left_of store 5 1 15; [ "$COUNT" -ge 1 ]
  left_of store 5 1 0; [ "$COUNT" -ge 1 ]
  expect empty "$(imp kill store 5 1 9)"
  expect 0 "$(marked 701005)"
  wait "$KEEPER"
}

@test "the batch system and the user cannot signal, stop or trace fq-imp" {
  begin 6 fqtest-a holds <<<'echo up; sleep 701006'
  local pid user
  for pid in "$(imp_of 6)" "$(first_of 6)"; do
    for user in fq fqtest-a fqtest-b; do
      for signal in 0 STOP KILL TERM; do
        run as "$user" /bin/kill "-$signal" "$pid"
        [ "$status" != 0 ]
      done
      expect "[]" "$(seen_of "$pid" "$user")"
    done
  done
  expect 1 "$(marked 701006)"
  expect empty "$(imp kill store 6 1 9)"
}

@test "when fq-imp is killed nothing of the job is left; stopped, it hinders no end" {
  begin 7 fqtest-a killed < <(escaped 701007)
  kill -KILL "$(imp_of 7)"
  until_so none_is_marked 701007
  expect empty "$(imp kill store 7 1 0)"
  expect 137 "$(cat "$(where killed.code)")"
  begin 8 fqtest-a stopped < <(escaped 701008)
  local stopped
  stopped=$(imp_of 8)
  kill -STOP "$stopped"
  left_of store 8 1 0; [ "$COUNT" -ge 5 ]
  expect empty "$(imp kill store 8 1 9)"
  expect 0 "$(marked 701008)"
  kill -CONT "$stopped"
  wait "$KEEPER"
}

@test "fq-imp killed at any moment of a start leaves nothing, and the job runs no second time" {
  local i
  for i in $(seq 20); do
    signed fqtest-a early <<JOB
if [ -e /mnt/over.$i ]; then
  [ ! -e /mnt/began.$i ] || echo twice
  exit
fi
mkdir /mnt/began.$i
setsid -f sleep 701009
sleep 701009
JOB
    message early "70$i"
    /usr/bin/python3 -c 'import random, subprocess, sys, time
imp = subprocess.Popen(["nsenter", "-t", sys.argv[1], "-m", "--", "setpriv", "--reuid", "fq", "--regid", "fq", "--clear-groups", "/usr/libexec/fq/fq-imp", "exec"],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
imp.stdin.write(sys.stdin.buffer.read())
imp.stdin.flush()
time.sleep(random.random() * 0.05)
imp.kill()
imp.wait()' "$WORLD_PID" <"$(where early.message)"
    expect empty "$(imp kill store "70$i" 1 0)"
    until_so none_is_marked 701009
    : >"$(where "over.$i")"
    message early "80$i" 2
    keeper early
    expect "" "$(cat "$(where early.out)")"
  done
}

@test "the end of the keeper is the end of the job" {
  signed fqtest-a orphan < <(escaped 701010)
  message orphan 10
  # shellcheck disable=SC2016
  as fq sh -c 'mkfifo /mnt/orphan.in "$0"; exec 5<>/mnt/orphan.in; cat /mnt/orphan.message >&5
    fq-imp exec <&5 5>&- 2>/mnt/orphan.err >"$0" & exec cat "$0" >/mnt/orphan.out' "/mnt/orphan.$$" 3>&- &
  up orphan
  pkill -fx "cat /mnt/orphan.$$"
  until_so none_is_marked 701010
  until_so grep -q ended "$(where orphan.err)"
  expect "started
ended 137" "$(cat "$(where orphan.err)")"
}

@test "empty is said once nothing will begin any more" {
  # Of a job that fq-imp has not seen, it will not see that attempt.
  expect empty "$(imp kill store 11 2 0)"
  signed fqtest-a late <<<"echo ran"
  local attempt
  for attempt in 1 2; do
    message late 11 "$attempt"
    keeper late
    refused late "attempt $attempt of this job is over"
  done
  message late 11 3
  keeper late
  ran late ran
  refuses 1 "fq-imp: kill STORE ID ATTEMPT SIGNAL [NUMBER]" imp kill store 11 2
  refuses 1 "fq-imp: kill STORE ID ATTEMPT SIGNAL [NUMBER]" imp kill ../store 11 2 9
  refuses 1 "fq-imp: ID is not a number from 0 to 18446744073709551615" imp kill store -1 2 9
  refuses 1 "fq-imp: SIGNAL is not a number from 0 to 64" imp kill store 11 2 65
}

@test "a job of one store is none of another's that has its name" {
  # As of one that was made anew; nor does one that tells no number, of a version that knew none, meet it.
  signed fqtest-a numbered <<<'echo up; sleep 701014'
  message numbered 31 1 numbered 0 /dev/null /dev/null 111
  keeper numbered 3>&- &
  KEEPER=$!
  up numbered
  expect empty "$(imp kill store 31 1 9 222)"
  expect empty "$(imp kill store 31 1 9)"
  one_is_marked 701014
  expect empty "$(imp kill store 31 1 9 111)"
  none_is_marked 701014
  wait "$KEEPER"
  refuses 1 "fq-imp: NUMBER is not a number from 0 to 18446744073709551615" imp kill store 31 1 9 x
}

@test "a number that comes again is another process" {
  # By a record of another boot, or of a process that began at another time, nobody is killed.
  begin 12 fqtest-a record <<<'echo up; sleep 701012'
  local file=/run/fq-imp/store.12
  world cp $file /run/kept
  expect empty "$(imp kill store 12 1 9)"
  wait "$KEEPER"
  as fqtest-a sleep 701012 3>&- &
  until_so sh -c 'pgrep -fx "sleep 701012"'
  local victim=$!
  victim=$(pgrep -fx "sleep 701012")
  world /usr/bin/python3 -c 'import struct, sys
record = bytearray(open("/run/kept", "rb").read())
record[40:44] = struct.pack("<i", int(sys.argv[1]))
open("/run/fq-imp/store.12", "wb").write(record)' "$victim"
  world chmod 600 $file
  expect empty "$(imp kill store 12 1 9)"
  expect 1 "$(marked 701012)"
  kill "$victim"
}

@test "a job sees its own processes and not those of others" {
  begin 13 fqtest-b hidden <<<'echo up; sleep 701013'
  signed fqtest-a looks <<'JOB'
ps -eo user= | sort -u
ps -eo args= | grep -c '^sleep 70101' || :
ls -A /run/user
stat -c '%U %a' /run/user/64101
JOB
  message looks 14
  keeper looks
  ran looks "fqtest-a
root
0
64101
fqtest-a 700"
  expect empty "$(imp kill store 13 1 9)"
}
