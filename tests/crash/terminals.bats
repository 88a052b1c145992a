#!/usr/bin/env bats
# Who comes to a job's terminal is stopped where others go on meanwhile: what the task writes is shown once, in whatever
# order that happens.

load helper

setup() {
  use_faulty_programs
  fq-init --quiet --store "$STORE" --test-nodes 1:2
  export FQ_STORE=$STORE
}

# stop_at POINT: the next process that passes it stops there. is_stopped PID: it has.
stop_at() { echo stop >"bin/fault/$1"; }
is_stopped() { grep -qs '^State:.T' "/proc/$1/status"; }
go_on() { kill -CONT "$@"; }

# attached PID WANTED: the command ends with 0, having shown WANTED, and carriage returns at the ends of lines.
attached() {
  local code=0
  wait "$1" || code=$?
  expect "0 $2" "$code $(tr -d '\r' <out)"
}

# ends_before_a_word OPTION: the job of `fq run OPTION` ends between the command's coming to its terminal and its first word.
ends_before_a_word() {
  local command
  mkfifo go
  stop_at terminal-found
  fq-run "$1" sh -c 'read -r line <go; echo first; echo last' </dev/null >out 2>&1 &
  command=$!
  until_true is_stopped "$command"
  echo >go
  ended "$(fq-job last)"
  go_on "$command"
  attached "$command" $'first\nlast'
}

@test "a terminal that ends before who has come says a word shows him all" {
  # By the terminal, or from the log; nothing twice.
  ends_before_a_word -T
}

@test "a terminal that ends before who has come says a word shows him all where no log has it" {
  # As above.
  ends_before_a_word -opty.interactive
}

@test "a terminal that comes and goes while nobody looks leaves its output in the log" {
  # Where the command has seen the job run, and no terminal yet.
  local command option
  for option in -T -opty.interactive; do
    stop_at shell-began
    stop_at terminal-missing
    fq-run "$option" sh -c 'echo first; echo last' </dev/null >out 2>&1 &
    command=$!
    until_true is_stopped "$command"
    until_true is_stopped "$(shell_of "$(fq-job last)")"
    go_on "$(shell_of "$(fq-job last)")"
    ended "$(fq-job last)"
    go_on "$command"
    attached "$command" $'first\nlast'
  done
}

@test "output that is in the log when the terminal is found is shown once" {
  # The command has looked for the terminal in vain, and then reads the log.
  local command
  mkfifo go
  stop_at shell-began
  stop_at terminal-missing
  fq-run -T sh -c 'echo first; read line <go; echo last' </dev/null >out 2>&1 &
  command=$!
  until_true is_stopped "$command"
  until_true is_stopped "$(shell_of "$(fq-job last)")"
  go_on "$(shell_of "$(fq-job last)")"
  until_true has "$(guest "$(fq-job last)" output)" first
  go_on "$command"
  until_true has out first
  echo >go
  attached "$command" $'first\nlast'
}

@test "what a command did not read in time is shown from the log" {
  # The job does not wait for it for long, and ends; the log has all.
  local command
  mkfifo go
  fq-run -T sh -c 'stty -opost; echo begin; read -r line <go; seq 100000' </dev/null >out 2>&1 &
  command=$!
  until_true has out begin
  kill -STOP "$command"
  echo >go
  ended "$(fq-job last)"
  go_on "$command"
  attached "$command" "$(echo begin; seq 100000)"
}

@test "a command whose terminal goes away leaves nothing behind though it is told twice" {
  # By who held the terminal and by the kernel.
  local command code=0
  stop_at terminal-signaled
  fq-run -T sh -c 'trap "" HUP; echo up; exec tail -f /dev/null' </dev/null >out 2>&1 &
  command=$!
  until_true has out up
  kill -HUP "$command"
  until_true is_stopped "$command"
  kill -HUP "$command"
  go_on "$command"
  wait "$command" || code=$?
  expect "129 " "$code $(ls "$STORE/wake" | grep "[.]$command\$")"
}

@test "a shell on a terminal that passes over the first word of its end is told again" {
  # As a bash does that has just begun; it is not killed.
  local id
  mkfifo up
  id=$(fq-submit -o pty.interactive sh -c 'trap "" TERM; trap "trap - HUP" HUP; echo >up; while :; do read line; done')
  timeout "$LIMIT" cat up
  fq-cancel "$id"
  ended "$id" || true
  expect "CANCELED 129" "$(fq-jobs -n -a -o '{result} {returncode}' "$id")"
}
