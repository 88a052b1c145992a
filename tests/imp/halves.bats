#!/usr/bin/env bats
# A job's shell in two halves: the keeper, as the batch system, and the tasks, as the user, under fq-imp.

load helper

setup() { read -r WORLD_PID <"$BATS_FILE_TMPDIR/world"; }
setup_file() {
  make_world
  setup
  world install -m 755 "$REPO_BIN/fq-tasks" "$FQ_KEEPER_TOOL" /usr/libexec/fq
  world cp /usr/libexec/fq/fq-tasks /usr/libexec/fq/kept
  world mkfifo -m 666 /mnt/up
  world sh -c 'mkdir -m 700 /var/lib/fq; chown fq /var/lib/fq'
}
teardown_file() { end_world; }
teardown() { world cp /usr/libexec/fq/kept /usr/libexec/fq/fq-tasks; }

# job ID NTASKS OPTIONS SCRIPT: what comes of a job of fqtest-a; LIMIT_S and GRACE in seconds.
job() {
  sign_job "$@"
  keep "$1"
}
sign_job() { as fqtest-a sh -c 'keeper_tool jobspec "$1" "$2" "$3" | fq-imp sign store 0 0 3600' sign "${@:2}" >"$(where "$1.J")"; }
keep() { as fq timeout "$LIMIT" keeper_tool run /var/lib/fq "$1" store "/mnt/$1.J" "${LIMIT_S:-0}" "${GRACE:-60}"; }
# background ID NTASKS OPTIONS SCRIPT: the same, beside this; its words come into ID.came.
background() {
  sign_job "$@"
  keep "$1" >"$(where "$1.came")" 3>&- &
  KEEPER=$!
}
order() { as fq keeper_tool order /var/lib/fq "$@"; }
# instead: stdin becomes the user's half.
instead() {
  world sh -c 'cat >/usr/libexec/fq/new; chmod 755 /usr/libexec/fq/new; mv /usr/libexec/fq/new /usr/libexec/fq/fq-tasks'
}
# frame FIELD...: as the halves send it.
frame() {
  local fields
  fields=$("$TOOL" fields "$@" && echo .)
  fields=${fields%.}
  printf '%s:%s' "${#fields}" "$fields"
}
EVENTS="init starting shell.init shell.start"

@test "tasks run as their user; what they write, and how they end, comes to the keeper" {
  expect "status 768
events $EVENTS shell.task-exit shell.task-exit shell-exit complete done
stderr 0: err 0
stderr 1: err 1
stdout 0: fqtest-a 0 / /var/lib/fq
stdout 1: fqtest-a 1 / /var/lib/fq" \
    "$(job 1 2 '{}' 'echo "$(id -un) $FLUX_TASK_RANK $PWD $FQ_STORE"; echo "err $FLUX_TASK_RANK" >&2; exit 3')"
}

@test "files that a job names are opened by its user" {
  as fqtest-a mkdir /mnt/mine
  as fq mkdir -m 700 /mnt/theirs
  expect "status 0
events $EVENTS shell.task-exit shell-exit complete done
redirect stdout 0 /mnt/mine/out
redirect stderr 0 /mnt/mine/out" "$(job 2 1 '{"output":{"stdout":{"type":"file","path":"/mnt/mine/out"}}}' 'echo written')"
  expect "written fqtest-a" "$(cat "$(where mine/out)") $(world stat -c %U /mnt/mine/out)"
  expect "status 256
exception exec 0 output: cannot open '/mnt/theirs/out': Permission denied
events init starting shell.init shell-exit complete done
message output: cannot open '/mnt/theirs/out': Permission denied" "$(job 3 1 '{"output":{"stdout":{"type":"file","path":"/mnt/theirs/out"}}}' 'echo written')"
}

@test "much output comes whole, and no more than the limit" {
  expect "status 0
events $EVENTS shell.task-exit shell-exit complete done
stdout 0 has 20000000 bytes" "$(job 4 1 '{}' 'head -c 20000000 /dev/zero | tr "\0" x')"
  expect "status 0
events $EVENTS shell.task-exit shell-exit complete done
stdout 0 has 20000 bytes
message stdout exceeds 20000 bytes, the limit of what is kept: the rest is left out" "$(job 5 1 '{"output":{"limit":"20000"}}' 'head -c 200000 /dev/zero | tr "\0" x')"
}

@test "orders reach the tasks; a cancelled job ends, also one that does not listen" {
  background 6 1 '{}' 'trap "echo told; exit 4" USR1; sleep 702006 & echo up >/mnt/up; wait'
  timeout "$LIMIT" cat "$(where up)" >/dev/null
  order 6 "signal 10"
  wait "$KEEPER"
  expect "status 1024
events $EVENTS shell.task-exit shell-exit complete done
stdout 0: told" "$(cat "$(where 6.came)")"
  background 7 1 '{}' 'echo up >/mnt/up; exec sleep 702007'
  timeout "$LIMIT" cat "$(where up)" >/dev/null
  order 7 cancel
  wait "$KEEPER"
  expect "status 36608
events $EVENTS shell.task-exit shell-exit complete done" "$(cat "$(where 7.came)")"
  GRACE=0.2 background 8 1 '{}' 'trap "" TERM; echo up >/mnt/up; setsid sh -c "trap \"\" TERM; while :; do sleep 702008; done" & while :; do sleep 702008; done'
  timeout "$LIMIT" cat "$(where up)" >/dev/null
  order 8 cancel
  wait "$KEEPER"
  [[ $(cat "$(where 8.came)") == "status 35072"* ]]
  expect 0 "$(pgrep -cfx "sleep 702008")"
}

@test "the time limit is the keeper's" {
  local came
  came=$(LIMIT_S=0.3 GRACE=0.2 job 9 1 '{}' 'trap "" TERM; sleep 702009')
  [[ $came == "status 36352
exception timelimit 0 resource allocation expired
events"* ]]
  expect 0 "$(pgrep -cfx "sleep 702009")"
}

@test "input comes to the tasks" {
  background 10 1 '{"input":{"stdin":{"type":"service"}}}' 'echo up >/mnt/up; while read -r line; do echo "got $line"; done; echo over'
  timeout "$LIMIT" cat "$(where up)" >/dev/null
  # shellcheck disable=SC2016
  as fq sh -c 'printf "%s\n" "$1" >>"$0"; printf "%s\n" "$2" >>"$0"; printf "%s\n" "$3" >>"$0"' /var/lib/fq/guest/0000.0000.0000.000a/input \
    '{"timestamp":1.0,"name":"header","context":{"version":1,"encoding":{"stdin":"UTF-8"},"count":{"stdin":1},"options":{}}}' \
    '{"timestamp":1.0,"name":"data","context":{"stream":"stdin","rank":"all","data":"a word\n"}}' \
    '{"timestamp":1.0,"name":"data","context":{"stream":"stdin","rank":"all","eof":true}}'
  wait "$KEEPER"
  expect "status 0
events $EVENTS shell.task-exit shell-exit complete done
stdout 0: got a word
over" "$(cat "$(where 10.came)")"
}

@test "what fq-imp refuses is the reason of the job's end" {
  sign_job 11 1 '{}' 'echo ran'
  local came
  keep 11 >/dev/null
  world rm -r /var/lib/fq/guest /var/lib/fq/alive
  came=$(keep 11)
  expect "status 256
exception exec 0 fq-imp: attempt 1 of this job is over
events init starting shell-exit complete done
message fq-imp: attempt 1 of this job is over" "$came" ||
  expect "status 256
exception exec 0 fq-imp: this request has run already
events init starting shell-exit complete done
message fq-imp: this request has run already" "$came"
}

@test "the user's half is believed in nothing that frees" {
  # It says that it has ended, and goes on; it ends without a word; it says what makes no sense; it says too much.
  local came
  printf '#!/bin/bash\nprintf "%%s" %q\nexec sleep 702012 >/dev/null\n' "$(frame end 0 '')" | instead
  sign_job 12 1 '{}' true
  keep 12 >"$(where 12.came)" 3>&- &
  KEEPER=$!
  until_so sh -c 'pgrep -fx "sleep 702012"'
  as fq test ! -s /mnt/12.came
  order 12 cancel
  expect "" "$(cat "$(where 12.came)")"
  as fq fq-imp kill store 12 1 9
  wait "$KEEPER"
  [[ $(cat "$(where 12.came)") == "status 0"* ]]
  expect 0 "$(pgrep -cfx "sleep 702012")"

  printf '#!/bin/sh\nexit 0\n' | instead
  expect "status 256
exception exec 0 the user's half of the shell ended before the job
events init starting shell-exit complete done
message the user's half of the shell ended before the job" "$(job 13 1 '{}' true)"

  local i=100
  says() {
    # shellcheck disable=SC2016
    printf '#!/bin/bash\nprintf "%%s" %q\nexec sleep 702013\n' "$2" | instead
    i=$((i + 1))
    came=$(GRACE=0 job "$i" 1 '{}' true)
    [[ $came == *"the user's half of the shell says what makes no sense: $1"* ]] || { echo "$came"; false; }
    expect 0 "$(pgrep -cfx "sleep 702013")"
  }
  says "a frame has no size" 999999999999
  says "the size of a frame" 99999999:x
  says "the size of a frame" x:
  says "a frame is empty" 0:
  says "a field is cut off" 3:9:x
  says "there is no such frame" "$(frame free 0)"
  says "there is no such frame" "$(frame data 0 0)"
  says "there is no task" "$(frame data 7 0 x)"
  says "there is no task" "$(frame close -1 0)"
  says "that is no directory" "$(frame place relative)"
  says "that is no directory" "$(frame place /a$'\n'b)"
  says "that is no directory" "$(frame place /a)$(frame place /b)"
  says "there are not so many tasks" "$(frame tasks $'1 task 5 1 boot 0\n1 task 6 1 boot 0\n-')"
  says "'../x' is no guest document" "$(frame guest ../x a)"
  says "'output' is no guest document" "$(frame guest output a)"
  says "'a/b' is no guest document" "$(frame guest a/b a)"
  says "there is no such stream" "$(frame data 0 9 x)"
  says "that is no redirection" "$(frame redirect 0 5 /etc)"
  says "there is no such event" "$(frame event '{"timestamp":1.0,"name":"free"}')"
  says "that is no status" "$(frame end 99999 '')"
  says "it goes on after its end" "$(frame end 0 '')$(frame end 0 '')"
  says "a stream goes on after its end" "$(frame close 0 0)$(frame data 0 0 x)"
}

@test "exceptions of another type, and times, are not the user's half's to say" {
  local exceptions='{"timestamp":1.0,"name":"exception","context":{"type":"unkillable","severity":1,"note":"x"}}'$'\n''{"timestamp":1.0,"name":"exception","context":{"type":"exec","severity":7,"note":"mine"}}'$'\n'
  frame end 256 "$exceptions" >"$(where frame)"
  printf '#!/bin/sh\ncat /mnt/frame\n' | instead
  expect "status 256
exception exec 1 mine
events init starting shell-exit complete done" "$(job 40 1 '{}' true)"
}

@test "where the user's half says that things are, nothing is signalled or removed" {
  # Its word is for who asks: another's process, and the store itself, stay.
  as fqtest-b sh -c 'exec sleep 702041' 3>&- &
  local other
  until_so sh -c 'pgrep -fx "sleep 702041"'
  other=$(pgrep -fx "sleep 702041")
  { frame place /var/lib/fq; frame tasks "1 task $other $(awk '{ print $22 }' "/proc/$other/stat") $(cat /proc/sys/kernel/random/boot_id) 0"$'\n'
    frame guest application kept; frame end 0 ''; } >"$(where frame)"
  printf '#!/bin/sh\ncat /mnt/frame\n' | instead
  expect "status 0
events init starting shell-exit complete done" "$(job 41 1 '{}' true)"
  as fq test -d /var/lib/fq/guest
  expect kept "$(as fq sh -c 'cat /var/lib/fq/guest/*29/own/application')"
  expect "$other" "$(pgrep -fx "sleep 702041")"
  kill "$other"
}

@test "when the keeper is killed the job ends" {
  background 50 1 '{}' 'setsid -f sleep 702050; echo up >/mnt/up; sleep 702050'
  timeout "$LIMIT" cat "$(where up)" >/dev/null
  pkill -KILL -fx "keeper_tool run /var/lib/fq 50 .*"
  as fq keeper_tool leftovers /var/lib/fq 50
  expect 0 "$(pgrep -cfx "sleep 702050")"
  expect empty "$(as fq fq-imp kill store 50 1 0)"
}

@test "what is left of a job whose keeper and fq-imp are gone is fq-imp's to say" {
  # The processes are not those that the batch system could signal.
  printf '#!/bin/sh\nsetsid -f sleep 702051\necho up >/mnt/up\nexec sleep 702051\n' | instead
  background 51 1 '{}' true
  timeout "$LIMIT" cat "$(where up)" >/dev/null
  read -r _ LAST _ < <(as fq fq-imp kill store 51 1 0)
  kill -STOP "$(ps -o ppid= -p "$LAST" | tr -d ' ')"
  pkill -KILL -fx "keeper_tool run /var/lib/fq 51 .*"
  expect 2 "$(pgrep -cfx "sleep 702051")"
  as fq keeper_tool leftovers /var/lib/fq 51
  expect 0 "$(pgrep -cfx "sleep 702051")"
  kill -KILL "$(ps -o ppid= -p "$LAST" | tr -d ' ')"
}
