#!/usr/bin/env bats
# What fq shows on terminals: widths, colours, hints, listings that stay. tmux is the terminal.

load helper

setup() { make_store 1:2; }

screen() { "$PYTHON" "$TESTS_DIR/screen.py" "$@"; }

# Two jobs that wait, one with a long name, and what they wait for.
populate() {
  FIRST=$(fq-submit --urgency=hold -t 1h --job-name=a-name-of-23-characters true)
  SECOND=$(fq-submit --job-name=next --dependency=afterok:"$FIRST" true)
  USER_NAME=$(id -un)
}

# bats test_tags=own-store
@test "lines take what the terminal is wide" {
  # At 100 columns the name is whole, at 80 as in a pipe, at 60 blanks are given up, at 40 headings and the name, at 30 the lines are cut.
  populate
  local user
  user=$(printf %-8s "$USER_NAME")
  expect "       JOBID USER     NAME                    ST NTASKS NNODES     TIME INFO
$(printf '%*s' 13 "$FIRST") $user a-name-of-23-characters  S      1      -       1h held
$(printf '%*s' 13 "$SECOND") $user next                     D      1      -        - depends:after-success=$FIRST
exit 0" "$(screen 120x10 until '^exit' show -- fq-jobs)"
  run screen 70x10 until '^exit' show -- fq-jobs
  expect "$FIRST $USER_NAME a-name-of+ S 1 - 1h held" "$(xargs <<<"${lines[1]}")"
  expect "70 +" "$(printf '%s' "${lines[2]}" | wc -m | xargs) ${lines[2]: -1}"
  run screen 40x10 until '^exit' show -- fq-jobs
  expect "$FIRST $USER_NAME a-nam+ S 1 - 1h held" "$(xargs <<<"${lines[1]}")"
  run screen 30x10 until '^exit' show -- fq-jobs
  expect "30 + 30 +" "$(for i in 1 2; do printf '%s' "${lines[i]}" | wc -m; echo "${lines[i]: -1}"; done | xargs)"
  expect "$(fq-jobs -n -o '{id} {name} {dependencies}|' | tr -d '\n')exit 0" \
    "$(screen 20x10 until '^exit' show -- fq-jobs -n -o '{id} {name} {dependencies}|' | tr -d '\n')"
  expect "$(fq-jobs)" "$(COLUMNS=20 fq-jobs)"
}

@test "colours on a terminal, unless they are refused" {
  # Ended jobs: well green, badly red. Not with NO_COLOR, --color=never, a dumb terminal.
  ended "$(fq-submit true)" "$(fq-submit false)" || true
  local colored=$'\e\\[3[12]m'
  expect 2 "$(screen 100x10 until '^exit' colors -- fq-jobs -a | grep -c "$colored")"
  expect 0 "$(screen 100x10 until '^exit' colors -- env NO_COLOR=1 fq-jobs -a | grep -c "$colored")"
  expect 2 "$(screen 100x10 until '^exit' colors -- env NO_COLOR= fq-jobs -a | grep -c "$colored")"
  expect 0 "$(screen 100x10 until '^exit' colors -- env TERM=dumb fq-jobs -a | grep -c "$colored")"
  expect 0 "$(screen 100x10 until '^exit' colors -- fq-jobs -a --color=never | grep -c "$colored")"
}

@test "the default listing says what it leaves out, on a terminal alone" {
  # What ended within the hour and is not shown; the first thousand of more.
  ended "$(fq-submit true)" "$(fq-submit false)" || true
  expect "2 ended within the hour (-a)" "$(screen 80x10 until '^exit' show -- fq-jobs | sed -n 2p)"
  expect "2 ended within the hour (-a)" "$(screen 80x10 until '^exit' show -- fq-jobs -o long | sed -n 2p)"
  local arguments
  for arguments in "-a" "-f pending" "-n" "--name=x" "--json" "--stats-only" "--since=-1h" "-u 1234567"; do
    # shellcheck disable=SC2086
    expect "0" "$(screen 80x10 until '^exit' show -- fq-jobs $arguments | grep -c hour)"
  done
  expect "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "$(fq-jobs)"
  fq-submit --quiet --urgency=hold --cc=1-1001 true
  expect "the first 1000 (-c 0), 2 ended within the hour (-a)" "$(screen 80x10 until '^exit' show -- fq-jobs | tail -n 2 | head -n 1)"
}

@test "the default listing says what it leaves out in other queues" {
  # By queue, or of all of them where they are many.
  printf '[queues.%s]\n' batch debug gpu long night >config.toml
  printf '[policy.jobspec.defaults.system]\nqueue = "batch"\n' >>config.toml
  fq-config load config.toml
  hints() { screen 80x10 until '^exit' show -- fq-jobs "$@" | sed -n '2,$p' | grep -v '^exit'; }
  fq-submit --quiet --urgency=hold -q debug --cc=1-2 true
  expect "2 more in debug (-q all)" "$(hints)"
  fq-submit --quiet --urgency=hold -q gpu true
  expect "2 more in debug, 1 in gpu (-q all)" "$(hints)"
  fq-submit --quiet --urgency=hold -q long true
  fq-submit --quiet --urgency=hold -q night true
  expect "5 more in 4 other queues (-q all)" "$(hints)"
  expect 0 "$(hints -q all | grep -c more)"
  expect 0 "$(hints -q debug | grep -c more)"
}

# bats test_tags=own-store
@test "--watch shows changes as they come" {
  # A job that comes, one that ends; it fits a window of any size, and leaves the terminal as it was.
  populate
  submit_held running --urgency=31 >/dev/null
  running running
  expect "NAME ST
a-name-of-23-characters S
next D
running R
cursor hidden, alternate screen
NAME ST
a-name-of-23-characters S
(2 more)
running R
NAME ST
running R
exit 0
cursor shown, normal screen" "$(screen 90x6 until running show state \
    do 'fq-submit --quiet --urgency=hold --job-name=later true' until later resize 60x4 until '^.2 more' show \
    resize 80x10 until next do 'fq-cancel --quiet --all -S pending' gone next show \
    press q until '^exit' show state -- fq-jobs -w -o '{name} {status_abbrev}')"
  release running
}

@test "--watch gives the terminal back when a signal ends or stops it" {
  # Ctrl-C is 130, TERM 143; a stopped one lets the terminal be, and draws again when it goes on.
  populate
  local watch='echo $$ >pid; exec fq-jobs -w'
  expect "exit 130
cursor shown, normal screen" "$(screen 80x8 until next press C-c until '^exit' show state -- sh -c "$watch")"
  expect "exit 143
cursor shown, normal screen" "$(screen 80x8 until next do 'kill $(cat pid)' until '^exit' show state -- sh -c "$watch")"
  expect "cursor shown, normal screen
cursor hidden, alternate screen
exit 0" "$(screen 80x8 until next do 'kill -TSTP $(cat pid); until grep -q "^State:.T" /proc/$(cat pid)/status; do :; done' gone next state do 'kill -CONT $(cat pid)' until next state \
    press q until '^exit' show -- sh -c "$watch")"
}

@test "--watch of ids waits for these" {
  # Also when they have ended; what is no job is said.
  populate
  expect "1" "$(screen 80x8 until next do "fq-cancel --quiet $SECOND" until Canceled press q until '^exit' show -- \
    fq-jobs -w -o endreason "$SECOND" | grep -c 'exit 0')"
  expect "fq-jobs: job 0x7b does not exist" "$(screen 80x8 until exist show press q until '^exit' -- fq-jobs -w 0x7b | tail -n 1)"
}

@test "a line says what an attached job waits for, until it runs" {
  # On a terminal, or when asked; it is gone once the job runs.
  local held waiting
  held=$(fq-submit --urgency=hold echo held-output)
  waiting=$(fq-submit --dependency=afterok:"$held" echo output)
  local clock='00:00:0[0-9]'
  expect "held-output
exit 0" "$(screen 60x8 until 'held +00:00:' do "fq-job urgency $held 16" until '^exit' show -- fq-job attach "$held")"
  held=$(fq-submit --urgency=hold true)
  waiting=$(fq-submit --dependency=afterok:"$held" echo output)
  run screen 80x8 until waiting show press C-c until '^exit' show -- fq-job attach "$waiting"
  expect "fq-job: $waiting waiting: job $held has not ended with success" "$(sed -E "s/ +$clock\$//" <<<"${lines[0]}")"
  expect "exit 130" "${lines[-1]#^C}"
  expect 0 "$(screen 60x8 until submit show press C-c until '^exit' -- fq-job attach -E "$waiting" | grep -c waiting)"
  mkfifo err
  fq-job attach --show-status "$waiting" 2>err &
  local pid=$! line
  exec 5<err
  read -r -d 0 -u 5 line  # up to the time
  kill "$pid"
  wait "$pid" || true
  exec 5<&-
  expect "fq-job: $waiting waiting: job $held has not ended with success" "$(sed -E 's/^\r.\[K//; s/ +$//' <<<"$line")"
}
