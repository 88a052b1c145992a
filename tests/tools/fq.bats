#!/usr/bin/env bats
# fq: the dispatcher.

load helper

setup() { prepare; }

overview() {
  cat <<'TEXT'
Usage: fq COMMAND [ARG...]
Submit and run
  submit         submit a job and print its id
  run, exec      run a job and wait for it; a command on each node
  bulksubmit     submit a job for each input and print their ids
  batch, alloc   submit a script; work in an allocation, on this terminal
Look and act
  jobs, pgrep    list jobs; print the ids of some by name
  job, update    look at a job, act on it: why, attach, …; change it
  cancel, pkill  cancel jobs, by id or by name
  top, uptime    what is taken and runs, on a screen; since when it is there
Queues, resources and the store
  queue, report  status, stop, start, list queues; a page, or figures, of use
  resource       list what is free and what is taken
  housekeeping   what is run on nodes after jobs
  priority       what orders jobs, factor by factor
  account        banks, their users, and what these have used
  config, log    configure queues and their policy; who did what, and when
  sim, sched     try configurations, and schedulers
  init, fsck     make a store; check it, and repair it
  dump, restore  write a store to a file; make a store of that
  R, hostlist    read and combine resource sets, and lists of hosts
fq COMMAND --help says more of one; fq help COMMAND opens its manual page.
TEXT
}

@test "fq alone lists the commands in groups" {
  # Without arguments, and with --help, -h or help, the commands are printed in groups.
  local way
  for way in "" --help -h help; do
    # shellcheck disable=SC2086
    check 0 "$(overview)" "" fq $way
  done
}

@test "a sub-command typed alone is found" {
  # The hint names what exists.
  local name command
  for name in attach eventlog id info kill last memo purge raise timeleft urgency wait why; do
    refuses 2 "fq: there is no command '$name' (did you mean 'fq job $name'?)" fq "$name" 1
    fq job "$name" --help >/dev/null
  done
  for name in disable enable start stop; do
    refuses 2 "fq: there is no command '$name' (did you mean 'fq queue $name'?)" fq "$name"
    fq queue "$name" --help >/dev/null
  done
  for name in drain undrain who; do
    refuses 2 "fq: there is no command '$name' (did you mean 'fq resource $name'?)" fq "$name"
    fq resource "$name" --help >/dev/null
  done
  refuses 2 "fq: there is no command 'jbos' (did you mean 'jobs'?)" fq jbos
}

@test "what is no job id is an invalid one in every command" {
  # The same words and the same code, whatever stands around it.
  local form="expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" command
  while read -r command; do
    # shellcheck disable=SC2086
    refuses 2 "${command%% *}: invalid job id 'x!z': $form" $command
  done <<'COMMANDS'
fq-cancel x!z
fq-jobs x!z
fq-update x!z name=y
fq-priority show x!z
fq-job attach x!z
fq-job data x!z service
fq-job eventlog x!z
fq-job hostpids x!z
fq-job id x!z
fq-job info x!z
fq-job kill x!z
fq-job memo x!z a=b
fq-job raise x!z
fq-job status x!z
fq-job taskmap x!z
fq-job timeleft x!z
fq-job urgency x!z 3
fq-job wait x!z
fq-job wait-event x!z start
fq-job why x!z
COMMANDS
}

@test "what other systems call a command is found" {
  # Slurm's and PBS's names, and those of every day, lead to the command that does it.
  local name option
  refuses 2 "fq: there is no command 'sbatch' (did you mean 'fq batch'?)" fq sbatch run.sh
  refuses 2 "fq: there is no command 'squeue' (did you mean 'fq jobs'?)" fq squeue
  refuses 2 "fq: there is no command 'scancel' (did you mean 'fq cancel'?)" fq scancel 1
  refuses 2 "fq: there is no command 'qsub' (did you mean 'fq batch'?)" fq qsub
  refuses 2 "fq: there is no command 'sinfo' (did you mean 'fq resource list'?)" fq sinfo
  refuses 2 "fq: there is no command 'sprio' (did you mean 'fq priority show'?)" fq sprio
  refuses 2 "fq: there is no command 'sacctmgr' (did you mean 'fq account'?)" fq sacctmgr
  refuses 2 "fq: there is no command 'sreport' (did you mean 'fq report'?)" fq sreport
  refuses 2 "fq: there is no command 'scontrol' (fq job info, urgency and update are for jobs, fq resource for nodes, fq queue for queues)" fq scontrol
  for name in ts tsp nq; do
    refuses 2 "fq: there is no command '$name' (fq submit COMMAND queues one, fq jobs lists them, fq job attach shows its output)" fq "$name"
  done
  refuses 2 "fq: there is no command 'ls' (did you mean 'fq jobs'?)" fq ls
  refuses 2 "fq: there is no command 'salloc' (did you mean 'fq alloc'?)" fq salloc
  refuses 2 "fq: there is no command 'requeue' (fq job info --original ID jobspec | fq job submit - submits a job anew)" fq requeue 1
  refuses 2 "fq-job: there is no command 'hold' (fq job urgency ID hold holds a job, fq job urgency ID default releases it)" fq job hold 1
  refuses 2 "fq: there is no command 'release' (fq job urgency ID default releases a job)" fq release 1
  refuses 2 "fq-job: there is no command 'cancel' (did you mean 'fq cancel'?)" fq job cancel 1
  refuses 2 "fq: there is no command 'uri' (did you mean 'fq job uri'?)" fq uri 1
  refuses 2 "fq: there is no command 'bjobs' (did you mean 'fq jobs'?)" fq bjobs
  refuses 2 "fq: there is no command 'mini' (its commands are fq submit, run, batch, alloc and bulksubmit)" fq mini submit true
  refuses 2 "fq: there is no command 'broker' (there is no broker: the first fq submit makes a store, or fq init)" fq broker
  refuses 2 "fq-jobs: unknown option '-j' (ids stand alone: fq jobs ID...)" fq jobs -j 1
  refuses 2 "fq-submit: unknown option '--partition' (did you mean '--queue'?)" fq submit --partition=x true
  refuses 2 "fq-submit: unknown option '-J' (did you mean '--job-name'?)" fq submit -J x true
  refuses 2 "fq-batch: unknown option '--cpus-per-task' (did you mean '--cores-per-slot'?)" fq batch --cpus-per-task=2 x
  refuses 2 "fq-submit: --time-limit: invalid duration '1:30:00': unknown unit ':30:00', expected ms, s, m, h or d (did you mean '1.5h'?)" \
    fq submit -t 1:30:00 true
  refuses 2 "fq-submit: --time-limit: invalid duration '00:10:00': unknown unit ':10:00', expected ms, s, m, h or d (did you mean '10m'?)" \
    fq submit -t 00:10:00 true
  refuses 2 "fq-submit: --time-limit: invalid duration '1h30m': unknown unit 'h30m', expected ms, s, m, h or d (did you mean '90m'?)" \
    fq submit -t 1h30m true
  refuses 2 "fq-submit: --time-limit: invalid duration '5min': unknown unit 'min', expected ms, s, m, h or d (did you mean '5m'?)" \
    fq submit -t 5min true
  refuses 2 "fq-submit: --begin-time: begin time 'now+1hour': expected a time as '+1h', '18:30', '3pm', 'noon', 'tomorrow 8:00', 'friday', 'Dec 24' or '2026-12-24T18:30' (did you mean '+1h'?)" \
    fq submit --begin-time=now+1hour true
  for option in --mem=4G --mem-per-cpu=1G; do
    refuses 2 "fq-submit: unknown option '${option%=*}' (memory is not counted: -N1 -x is a whole node, --rlimit=as=BYTES a bound for each process)" \
      fq submit "$option" true
  done
  refuses 2 "fq-batch: unknown option '--cc' (copies of a script: for i in 1 2 3; do fq batch --env=i=\$i SCRIPT; done)" fq batch --cc=1-3 x
  refuses 2 "fq-batch: unknown option '--array' (a job for each: for i in 1 2 3; do fq batch --env=SLURM_ARRAY_TASK_ID=\$i SCRIPT; done)" fq batch --array=1-3 x
  refuses 2 "fq-submit: unknown option '--array' (did you mean '--cc'?)" fq submit --array=1-3 true
  refuses 2 "fq-submit: unknown option '--nodelist' (--requires=host:NODES names the nodes that it may have)" fq submit --nodelist=n1 true
  refuses 2 "fq-submit: unknown option '-w' (--requires=host:NODES names the nodes that it may have)" fq submit -w n1 true
  refuses 2 "fq-submit: unknown option '--wrap' (a shell runs a line: fq submit sh -c 'LINE')" fq submit --wrap='echo a' true
  refuses 2 "fq-submit: unknown option '--mail-type' (nothing sends mail: fq job wait ID ends when the job does)" fq submit --mail-type=END true
  refuses 2 "fq-jobs: unknown option '--me' (yours are listed anyway, -A lists those of all)" fq jobs --me
  refuses 2 "fq-jobs: unknown option '-l' (-o long)" fq jobs -l
  refuses 2 "fq-update: duration: invalid duration '1h30m': unknown unit 'h30m', expected ms, s, m, h or d (did you mean '90m'?)" \
    fq update 1 duration=1h30m
  refuses 2 "fq-batch: --setopt: unknown shell option 'out' (--output=FILE says where output goes)" fq batch -n1 -o out.txt --wrap true
}

@test "every command that fq lists exists and knows --help and --version" {
  # What the overview names can be run; --help goes to stdout with code 0, --version prints the release.
  local name
  for name in $(fq | sed -n 's/^  \([a-zA-Z]*\) .*/\1/p'); do
    check 0 "$(fq-"$name" --help)" "" fq "$name" --help
    [[ $output == "Usage: fq-$name "* ]]
    [[ ${lines[-1]} == "More: man fq-$name" || ${lines[1]} == "Commands, of which fq-$name COMMAND --help says more" ]]
  done
  check 0 "$(fq --version | sed 's/^fq /fq-submit /')" "" fq-submit --version
}

@test "fq help opens a page or says that there is no such command" {
  # Without an installed page it is what --help prints; an unknown command is a usage error with a near match.
  mkdir bin
  printf '#!/bin/sh\nexit 16\n' >bin/man
  chmod +x bin/man
  PATH=$WORK/bin:$PATH check 0 "$(fq-jobs --help)" "" fq help jobs
  PATH=$WORK/bin:$PATH check 0 "$(fq)" "" fq help fq
  printf '#!/bin/sh\necho "man $*"\n' >bin/man
  PATH=$WORK/bin:$PATH check 0 "man fq-jobs" "" fq help jobs
  PATH=$WORK/bin:$PATH check 0 "man fq-jobs" "" fq help fq-jobs
  PATH=$WORK/bin:$PATH check 0 "man fq" "" fq help fq
  PATH=$WORK/bin:$PATH check 0 "man 7 fq-format" "" fq help format
  PATH=$WORK/bin:$PATH check 0 "man 5 fq-config" "" fq help 5 config
  PATH=$WORK/bin:$PATH refuses 2 "fq: there is no command 'jbs' (did you mean 'jobs'?)" fq help jbs
}

@test "help pages fit a terminal" {
  # Of 80 columns and 24 lines, of which the prompt below takes one.
  local name command large=""
  fits() { "$@" --help | awk -v page="$*" 'length > 80 {print page ": " $0} END {if (NR > 23) print page ": " NR " lines"}'; }
  large=$(fits fq)
  for name in $(fq | sed -n 's/^  \([a-zA-Z]*\) .*/\1/p'); do
    large+=$(fits fq-"$name")
    for command in $(fq-"$name" --help | sed -En '/^Commands/,$s/^  ([a-zA-Z, -]*[a-zA-Z])  .*/\1/p' | sed 's/, /\n/g'); do
      large+=$(fits fq-"$name" "$command")
    done
  done
  expect "" "$large"
}

@test "help pages name a manual page that exists" {
  # The last line of a help page is a command that opens one page: man fq-job, not man fq-job wait.
  local pages=""
  pages=$(for name in attach eventlog id info last status submit wait why; do fq-job "$name" --help | tail -1; done | sort -u)
  expect "More: man fq-job" "$pages"
}

@test "a command that does not exist is a usage error with a near match" {
  # The name is quoted; a similar command is suggested.
  refuses 2 "fq: there is no command 'sumbit' (did you mean 'submit'?)" fq sumbit
  refuses 2 "fq: there is no command 'frobnicate' (\`fq\` alone lists them)" fq frobnicate
  refuses 2 "fq: there is no command '' (\`fq\` alone lists them)" fq ""
}

@test "options before the command are refused" {
  # fq itself has no options but --help, --version and, before a command, --store.
  refuses 2 "fq: --store wants a directory, and a command behind it (fq --store DIR COMMAND)" fq --store x
  refuses 2 "fq: unknown option '--color' (options stand after the command: fq COMMAND --help)" fq --color jobs
  refuses 2 "fq: unknown option '--hlp' (did you mean '--help'?)" fq --hlp
}

@test "a store may be named before the command" {
  # As with the address of an instance: fq --store $(fq job uri ID) jobs.
  make_store 1:3
  fq-submit --quiet --urgency=hold --job-name=held true
  unset FQ_STORE
  check 0 held "" fq --store "$STORE" jobs -n -o '{name}'
  check 0 held "" fq --store="$STORE" jobs -n -o '{name}'
  refuses 1 "fq-jobs: there is no store in '$WORK/none' (fq init makes one, and fq submit does where none is named)" fq --store none jobs
}

@test "all commands are names of one program" {
  # It is the command by whose name it is called, or that its first word names; what it says begins with that name.
  local name
  for name in "$FQ_BIN_DIR"/fq-*; do
    name=${name##*/}
    case $name in fq-shell | fq-waker | fq-topology | fq-imp | fq-gate | fq-tasks) continue ;; esac
    [ "$FQ_BIN_DIR/$name" -ef "$FQ_BIN_DIR/fq" ]
    check 0 "$("$FQ_BIN_DIR/$name" --version)" "" fq "${name#fq-}" --version
    [[ $output == "$name "* ]]
  done
  refuses 2 "fq-submit: COMMAND is missing (usage: fq-submit [OPTION...] COMMAND [ARG...])" fq submit
  refuses 2 "fq-submit: COMMAND is missing (usage: fq-submit [OPTION...] COMMAND [ARG...])" fq-submit
  # Called by any other name it is fq.
  ln -s "$FQ_BIN_DIR/fq" queue
  check 0 "$(fq-jobs --version)" "" ./queue jobs --version
}

@test "a command of its own goes before one of that name on PATH" {
  # As in git: nobody changes what `fq jobs` is by a program of theirs; `fq-jobs` is what PATH says.
  mkdir bin
  printf '#!/bin/sh\necho mine\n' >bin/fq-jobs
  chmod +x bin/fq-jobs
  PATH=$PWD/bin:$PATH check 0 "$("$FQ_BIN_DIR/fq-jobs" --version)" "" fq jobs --version
  PATH=$PWD/bin:$PATH check 0 "mine" "" fq-jobs
}

@test "fq runs fq-NAME from PATH as git does" {
  # A program of the user's called fq-hello is a command; it gets the arguments and its code is returned.
  mkdir bin
  printf '#!/bin/sh\necho "hello $*"\nexit 7\n' >bin/fq-hello
  chmod +x bin/fq-hello
  PATH=$PWD/bin:$PATH check 7 "hello a b c" "" fq hello a "b c"
}

@test "a command without permission to run is told so" {
  # fq-locked exists but is not executable: the reason is named, not `there is no command`.
  mkdir bin
  echo >bin/fq-locked
  PATH=$PWD/bin:$PATH refuses 1 "fq: cannot run 'fq-locked': Permission denied" fq locked
}

@test "--help and --version touch no store" {
  # With a store that cannot be used the pages are printed all the same, and none is made.
  FQ_STORE=/nonexistent/store check 0 "$(fq-submit --help)" "" fq-submit --help
  expect "" "$(find "$HOME" -mindepth 1)"
}

@test "the dispatcher finds its commands without PATH" {
  # fq looks beside itself first.
  local dispatcher
  dispatcher=$(command -v fq)
  PATH=/usr/bin:/bin check 0 "$(fq-jobs --help)" "" "$dispatcher" jobs --help
}
