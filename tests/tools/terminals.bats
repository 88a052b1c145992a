#!/usr/bin/env bats
# Jobs that run on terminals, and who comes to them: fq run -T, fq alloc, fq job attach, -o pty. tmux is the terminal.

load helper

setup() {
  make_store 1:4
  export PS1='$ ' SHELL=/bin/sh
}

screen() { "$PYTHON" "$TESTS_DIR/screen.py" "$@"; }
full() { printf '%s' "$PYTHON -IS $TESTS_DIR/fullscreen.py"; }
last_id() { fq-job last; }

@test "a task on a terminal has its size, its colours and the type of it" {
  # The window's size from the first, TERM as here, a terminal on all three descriptors and as /dev/tty; the exit code is the job's.
  expect "30 90
screen yes yes
through /dev/tty
fq-run: task(s) exited with exit code 7
exit 7" "$(screen 90x30 until '^exit' show -- env TERM=screen fq-run -T sh -c 'stty size; echo $TERM $(for fd in 0 2; do [ -t $fd ] && echo yes; done)
    echo through /dev/tty >/dev/tty; exit 7')"
  expect 1 "$(screen 80x24 until '^exit' colors -- fq-run -T printf '\033[31mred\033[0m\n' | grep -c $'\e\\[31mred')"
}

@test "what is written on a terminal is kept as output, unless it is not to be" {
  # fq run -T keeps it; pty.interactive alone does not, unless nobody has seen it.
  screen 80x8 until '^exit' -- fq-run -T echo kept
  check 0 $'kept\r' "" fq-job attach "$(last_id)"
  screen 80x8 until seen press Enter until '^exit' -- fq-run -T -o pty.capture=0 sh -c 'echo seen; read -r line'
  check 0 "" "" fq-job attach "$(last_id)"
  local id
  id=$(fq-submit -o pty.interactive echo unseen)
  check 0 $'unseen\r' "" fq-job attach "$id"
}

@test "keys, ctrl-C and a resize reach a program on the whole screen" {
  # Drawn where it draws; the terminal is as before when it ends. (Who comes when it has drawn has it draw anew: for a
  # moment the window is one line less.)
  expect "size 20 60
keys
interrupts 0
cursor hidden, alternate screen
size 10 50
keys ab
interrupts 1
typed ab
exit 0
cursor shown, normal screen" "$(screen 60x20 until 'size 20 60\s+keys\s+interrupts 0' show state press 'a b' until 'keys ab' resize 50x10 until 'size 10 50' \
    press C-c until 'interrupts 1' show press q until '^exit' show state -- fq-run -T $(full) | sed 's/ *$//')"
}

@test "ctrl-Z stops what runs in the job's shell, and fg goes on with it" {
  # Job control is the business of the shell there; fq run is not stopped.
  expect "keys a
exit 0" "$(screen 80x20 until '[$]' press "'$(full)' Enter" until interrupts press C-z until 'Stopped|Suspended' \
    press "'fg' Enter" gone 'Stopped|Suspended' press a until 'keys a' press q until '^typed a\n[$]' press "'exit' Enter" until '^exit 0' show -- \
    fq-run -T sh -i | sed -n 's/typed/keys/p;$p')"
}

@test "a terminal is left with ~. and returned to, as it was" {
  # The program draws only when it must: what it drew, and that it has the whole screen, is shown to who returns.
  local id
  screen 90x20 until 'interrupts 0' press 'a b' until 'keys ab' press "Enter '~' ." until '^exit' show state -- fq-run -T $(full) >left
  id=$(last_id)
  expect "
fq-run: left job $id, which goes on (fq job attach $id returns to it)
exit 0
cursor shown, normal screen" "$(printf '\n'; tail -n 3 left)"
  expect R "$(fq-jobs -n -o '{status_abbrev}' "$id")"
  expect "size 24 80
keys ab
cursor hidden, alternate screen
typed ab
c
exit 0" "$(screen 80x24 until 'size 24 80' until 'keys ab' show state press 'c' until '^c' press q until '^exit' show -- fq-job attach "$id" | sed '/interrupts/d; s/ *$//; /^$/d')"
}

@test "an editor is used in a job, left and returned to" {
  # What was typed stands there for who returns, and is written.
  local id
  screen 80x20 until '~' press "'itwo words' Escape" until 'two words' press "Enter '~' ." until '^exit' -- \
    fq-run -T vim -u NONE -N -i NONE -n
  id=$(last_id)
  screen 70x15 until 'two words' press "':wq written.txt' Enter" until '^exit 0' -- fq-job attach "$id"
  expect "two words" "$(cat written.txt)"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "a monitor is watched from a job, left and returned to" {
  # Its screen is drawn anew in the window of who returns.
  local id
  screen 100x20 until 'F10' press "Enter '~' ." until '^exit' -- fq-run -T htop --no-color
  id=$(last_id)
  screen 80x15 until 'F10' press q until '^exit 0' -- fq-job attach "$id"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "a terminal that is killed does not end the job" {
  # Neither fq run nor its terminal: the job goes on, with what it had.
  local id
  screen 60x20 until 'interrupts 0' press 'x' until 'keys x' do 'kill -KILL $(cat pid)' until 'exit 137' -- sh -c 'echo $$ >pid; exec fq-run -T '"$(full)"
  id=$(last_id)
  screen 60x20 until 'keys x' press 'y' until 'keys xy' -- fq-job attach "$id"
  expect "keys xyz" "$(screen 60x20 until 'keys xy' press 'z' until 'keys xyz' show press q until '^exit 0' -- fq-job attach "$id" | sed -n 2p)"
}

@test "one writes, others watch, and may take the writing over" {
  mkfifo left
  # The watcher is told so; what he types is not for the job until ~w, and the window is then his. Who wrote before leaves.
  local id
  screen 90x20 until 'interrupts 0' do 'echo >ready' until 'size 12 100' press "Enter '~' ." until '^exit 0' do 'echo >left' show -- fq-run -T $(full) >first &
  local first=$!
  until [ -e ready ]; do :; done
  id=$(last_id)
  expect "keys x" "$(screen 100x12 until 'you watch' press 'n' press "Enter '~' w" until 'size 12 100' press x until 'keys x' do 'read -r line <left' show press q until '^exit 0' -- fq-job attach "$id" | sed -n 2p)"
  wait "$first"
}

@test "fq alloc is a shell in an allocation" {
  # On the job's cores, and so do jobs that are started there; the exit code is that of the shell.
  expect "2 ncores 1 task
0: 2 tasks
1: 2 tasks
exit 3" "$(screen 80x20 until '[$]' press "'echo \$(fq-jobs --outer -n -o {ncores} \$FLUX_JOB_ID) ncores \$FLUX_JOB_SIZE task' Enter" until '^2 ncores 1 task\n[$]' \
    press "'fq-run -l -n2 sh -c \"echo \\\$FLUX_JOB_SIZE tasks\" | sort' Enter" until '^1: 2 tasks\n[$]' press "'exit 3' Enter" until '^exit 3' show -- \
    fq-alloc -n2 | sed -n '/^2 /p;/^.: /p;$p')"
  expect "COMPLETED 0" "$(screen 80x20 until '^exit' -- fq-alloc -n1 true; fq-jobs -n -a -o '{result} {returncode}' "$(last_id)")"
}

@test "fq alloc --bg leaves the terminal to who comes" {
  # It prints the id of a job that runs; attach finds its shell.
  local id
  id=$(fq-alloc --bg -n1)
  expect R "$(fq-jobs -n -o '{status_abbrev}' "$id")"
  expect "exit 5" "$(screen 80x20 until '[$]' press "'exit 5' Enter" until '^exit 5' show -- fq-job attach "$id" | tail -n 1)"
}

@test "fq alloc --hangup ends the job with its terminal" {
  # Killed or closed; not where it was left.
  screen 80x20 until '[$]' do 'kill -KILL $(cat pid)' until 'exit 137' -- sh -c 'echo $$ >pid; exec fq-alloc --hangup -n1'
  ended "$(last_id)" || true
  expect "FAILED the terminal that the job is to end with is gone" "$(fq-jobs -n -a -o '{result} {exception.note}' "$(last_id)")"
  screen 80x20 until '[$]' press "'~' ." until '^exit 0' -- fq-alloc --hangup -n1
  expect R "$(fq-jobs -n -o '{status_abbrev}' "$(last_id)")"
}

@test "fq alloc needs a terminal, and sizes" {
  # Before anything is submitted.
  refuses 1 "fq-alloc: standard input is no terminal, as a shell needs (name a command, or --bg to leave the job alone)" fq-alloc -n1
  refuses 2 "fq-alloc: --nslots or --nodes is missing (-n1 for one slot of a core, here or in the script: # fq: -n1)" fq-alloc true
  refuses 1 "fq-alloc: --hangup: standard input is no terminal, with which the job could end" fq-alloc -n1 --hangup true
  refuses 2 "fq-alloc: --hangup cannot be used with --bg" fq-alloc -n1 --bg --hangup
  expect "" "$(fq-jobs -a -n)"
}

@test "an interrupt while fq alloc waits cancels its job" {
  # As fq run.
  fq-queue stop --quiet
  expect "exit 130" "$(screen 80x20 until 'stopped' press C-c until '^exit' show -- fq-alloc -n1 | tail -n 1)"
  fq-queue start --quiet
  expect CANCELED "$(fq-jobs -n -a -o '{result}' "$(last_id)")"
}

@test "canceling a job ends the shell on its terminal at once" {
  # An interactive shell passes over SIGTERM; that its terminal hangs up it does not, and it is not killed.
  local id
  id=$(fq-alloc --bg -n1 -- bash -i)
  fq-cancel "$id"
  ended "$id" || true
  expect "CANCELED 129" "$(fq-jobs -n -a -o '{result} {returncode}' "$id")"
}

@test "-o pty runs all tasks on terminals" {
  # Input and output as through a terminal, of the size that is asked for.
  expect $'0: tty\r\n1: tty\r' "$(fq-run -l -n2 -o pty sh -c '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo tty' </dev/null | sort)"
  expect $'40 100\r' "$(fq-run -o pty.rows=40 -o pty.columns=100 sh -c 'stty size </dev/tty' </dev/null)"
  expect $'0: pipe\n1: tty\r' "$(fq-run -l -n2 -o pty.ranks=1 sh -c '[ -t 1 ] && echo tty || echo pipe' </dev/null | sort)"
  # What is piped is typed, and does not come back; its end is ctrl-D, in the middle of a line, too.
  expect $'got text\r\nline\r\n5\r' "$(printf 'text\nline\ntail5' | fq-run -o pty sh -c 'read line; echo got $line; head -n 1; cat | wc -c')"
  # A job that has no input has an end of it, and a file is read as ever.
  expect $'0\r' "$(fq-job attach "$(fq-submit -o pty sh -c 'wc -c')")"
  echo text >in.txt
  expect $'text\r' "$(fq-run -o pty --input=in.txt cat)"
}

@test "fq alloc runs a command where there is no terminal" {
  # Its output and exit code come here, its input from here; it has an instance as ever, and what it wrote is kept.
  check 3 "text
0
1" "fq-alloc: task(s) exited with exit code 3" sh -c 'echo text | fq-alloc -n2 sh -c "cat; fq-run -n2 sh -c \"echo \\\$FLUX_TASK_RANK\" | sort; exit 3"'
  check 3 "text
0
1" "fq-job: task(s) exited with exit code 3" fq-job attach "$(last_id)"
}

@test "a terminal without one here is fed from a pipe" {
  # What is piped is typed, its end is ctrl-D.
  mkfifo ready
  expect $'text\r\nlines 1\r' "$({ read -r line <ready; echo text; } | fq-run -T sh -c 'stty -echo; echo >ready; echo lines $(tee /dev/stderr | wc -l)')"
}

@test "all of a long output is shown on a terminal" {
  # More than is kept for who comes late, and than is queued.
  expect "200000 1 200000" "$(fq-run -T sh -c 'stty -opost; seq 200000' </dev/null | awk 'NR==1{first=$1} {last=$1} END{print NR, first, last}')"
}

@test "options of terminals that make no sense are refused" {
  # The one people come to is task 0's.
  refuses 2 "fq-run: --setopt: pty.ranks: the interactive terminal is task 0's, which is not among these" \
    fq-run -n2 -o pty.interactive -o pty.ranks=1 true
  refuses 2 "fq-run: --setopt: pty.ranks: there is no task 2, the job has tasks 0-1" fq-run -n2 -o pty.ranks=0,2 true
  refuses 2 "fq-run: --setopt: pty.capture: expected true or false" fq-run -o pty.capture=x true
  refuses 2 "fq-run: --setopt: unknown shell option 'pty.rank' (did you mean 'pty.ranks'?)" fq-run -o pty.rank=0 true
}
