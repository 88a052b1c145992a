# fish completion for fq. What the files of its commands share is defined here: they source this one first.

# __fq_store: --store DIR where the command line has it.
function __fq_store
    set -l tokens (commandline -opc)
    set -l at (contains -i -- --store $tokens)
    and test $at -lt (count $tokens)
    and printf '%s\n' --store $tokens[(math $at + 1)]
    string match -- '--store=*' $tokens
end

# __fq_jobs OPTION...: ids of jobs with their names; the options are those of fq-jobs.
function __fq_jobs
    set -l form f58
    string match -q 'f*' -- (commandline -ct)
    and set form f58plain
    fq-jobs (__fq_store) -n -q all -c 200 $argv -o "{id.$form} {name}" 2>/dev/null | string replace ' ' \t
end

# __fq_list WORD...: the words for the last element of a list with commas.
function __fq_list
    set -l before (string match -r '^(?:-[^=]*=|-\w)?(.*,)' -- (commandline -ct))[2]
    test -n "$before"; or set before ''
    printf '%s\n' $before$argv
end

# __fq_queues: names of queues; none where none are configured.
function __fq_queues
    fq-queue list (__fq_store) -n -o '{queue}' 2>/dev/null
end

function __fq_states
    __fq_list depend priority sched run cleanup inactive pending running active completed failed canceled timeout
end

# __fq_formats COMMAND...: the named formats of a listing. __fq_fields: its fields, for a list with commas.
function __fq_formats
    $argv -o help 2>/dev/null | sed -n '/^Named formats:/,/^$/s/^  \([a-z][^ ]*\)  *\(.*\)/\1\t\2/p'
    printf 'help\tlist formats and fields\n'
end
function __fq_fields
    __fq_list ($argv -o help 2>/dev/null | sed -n '/^Fields:/,/^$/s/^  \([a-z][^ ]*\) .*/\1/p')
end

function __fq_dependency
    set -l scheme (string match -r '(after(?:any|ok|notok|except)?:)' -- (commandline -ct))[2]
    if test -n "$scheme"
        printf "$scheme%s\n" (__fq_jobs -a)
    else
        printf '%s\n' after:\t'it has started' afterany:\t'it has ended' afterok:\t'it has ended with success' \
            afternotok:\t'it has ended without success' afterexcept:\t'an exception has ended it' \
            singleton\t'no other job has the name' begin-time:\t'the time has come'
    end
end

function __fq_events
    printf '%s\n' submit validate dependency-add dependency-remove depend priority urgency jobspec-update \
        resource-update memo alloc prolog-start prolog-finish start exception finish epilog-start epilog-finish \
        release free clean shell.init shell.start shell.task-exit done
end

function __fq_signals
    kill -l | string match -ar '[A-Z]\w+'
end

# __fq_sub NAME: whether this is the command line of that sub-command; without a name, whether there is none yet.
function __fq_sub
    set -l tokens (commandline -opc)
    if test (count $argv) -eq 0
        test (count $tokens) -eq 1
    else
        test (count $tokens) -gt 1 -a "$tokens[2]" = "$argv[1]"
    end
end

# What `fq-NAME ...` would offer, for `fq NAME ...`.
function __fq_delegate
    set -l tokens (commandline -opc) (commandline -ct)
    test (count $tokens) -gt 2
    and complete -C "fq-"(string join ' ' -- (string escape -- $tokens[2..-2]) (commandline -ct))
end

complete -c fq -e
complete -c fq -f
complete -c fq -n __fq_sub -s h -l help -d 'List the commands'
complete -c fq -n __fq_sub -l version -d 'Show the version'
complete -c fq -n __fq_sub -a submit -d 'Submit a job and print its id'
complete -c fq -n __fq_sub -a run -d 'Run a job and wait for it'
complete -c fq -n __fq_sub -a bulksubmit -d 'Submit a job for each input and print their ids'
complete -c fq -n __fq_sub -a batch -d 'Submit a script and print the job\'s id'
complete -c fq -n __fq_sub -a alloc -d 'Work in an allocation, on this terminal'
complete -c fq -n __fq_sub -a jobs -d 'List jobs'
complete -c fq -n __fq_sub -a job -d 'Look at a job, act on it: why, attach, wait, urgency, …'
complete -c fq -n __fq_sub -a update -d 'Change what jobs ask for'
complete -c fq -n __fq_sub -a cancel -d 'Cancel jobs'
complete -c fq -n __fq_sub -a pgrep -d 'Print the ids of jobs by name'
complete -c fq -n __fq_sub -a pkill -d 'Cancel jobs by name'
complete -c fq -n __fq_sub -a top -d 'What is taken and runs, on a screen'
complete -c fq -n __fq_sub -a uptime -d 'Since when the store is there'
complete -c fq -n __fq_sub -a queue -d 'Status, stop, start and list queues'
complete -c fq -n __fq_sub -a resource -d 'List what is free and what is taken'
complete -c fq -n __fq_sub -a housekeeping -d 'What is run on nodes after jobs'
complete -c fq -n __fq_sub -a exec -d 'Run a command on each node'
complete -c fq -n __fq_sub -a config -d 'Configure queues and their policy'
complete -c fq -n __fq_sub -a init -d 'Make a store'
complete -c fq -n __fq_sub -a fsck -d 'Check a store, and repair it'
complete -c fq -n __fq_sub -a dump -d 'Write a store to a file'
complete -c fq -n __fq_sub -a restore -d 'Make a store of a dump'
complete -c fq -n __fq_sub -a log -d 'Who administered what, and when'
complete -c fq -n __fq_sub -a R -d 'Make, read and combine resource sets'
complete -c fq -n __fq_sub -a hostlist -d 'Expand, compress, count and combine lists of hosts'
complete -c fq -n __fq_sub -a sim -d 'How a configuration would serve a workload'
complete -c fq -n __fq_sub -a help -d 'Open a manual page'
complete -c fq -n __fq_sub -a version -d 'Show the version'
complete -c fq -n '__fq_sub help' -a 'submit run bulksubmit batch alloc jobs job update cancel pgrep pkill top uptime queue resource housekeeping exec config log init fsck dump restore R hostlist sim'
complete -c fq -n 'not __fq_sub; and not __fq_sub help' -a '(__fq_delegate)'

# What commands share: each function adds options to the command that it is given.
function __fq_tasks
    complete -c $argv[1] -s n -l ntasks -x -d 'Number of tasks (1)'
    complete -c $argv[1] -s c -l cores-per-task -x -d 'Cores for each task (1)'
    complete -c $argv[1] -s g -l gpus-per-task -x -d 'GPUs for each task (0)'
    complete -c $argv[1] -s N -l nodes -x -d 'Spread over N nodes; alone: a task a node'
    complete -c $argv[1] -s x -l exclusive -d 'Whole nodes, with -N'
    complete -c $argv[1] -l cores -x -d 'Number of cores in all'
    complete -c $argv[1] -l tasks-per-node -x -d 'Tasks on each node'
    complete -c $argv[1] -l tasks-per-core -x -d 'Tasks on each core'
    complete -c $argv[1] -l gpus-per-node -x -d 'GPUs of each node, with -N'
end

function __fq_bulk
    complete -c $argv[1] -l cc -x -d 'A job for each id; {cc} is the id'
    complete -c $argv[1] -l bcc -x -d 'As --cc, without FLUX_JOB_CC'
    complete -c $argv[1] -l wait -d 'Wait for the jobs to end; the exit code is the largest of theirs'
    complete -c $argv[1] -l wait-event -x -a 'start finish clean exec.shell.init exec.shell.start' -d 'Wait for an event of each job'
    complete -c $argv[1] -l watch -d 'Show the jobs\' output, and wait'
    complete -c $argv[1] -l log -r -F -d 'File for ids, output and messages'
    complete -c $argv[1] -l log-stderr -r -F -d 'File for what would go to stderr'
    complete -c $argv[1] -l progress -d 'Show a bar'
    complete -c $argv[1] -l jps -d 'Show jobs a second in the bar'
end

function __fq_slots
    complete -c $argv[1] -s n -l nslots -x -d 'Number of slots'
    complete -c $argv[1] -s c -l cores-per-slot -x -d 'Cores in each slot (1)'
    complete -c $argv[1] -s g -l gpus-per-slot -x -d 'GPUs in each slot (0)'
    complete -c $argv[1] -s N -l nodes -x -d 'Spread over N nodes; alone: whole nodes'
    complete -c $argv[1] -s x -l exclusive -d 'Whole nodes, with -N'
end

function __fq_submission
    complete -c $argv[1] -s v -l verbose -d 'Say more; may be repeated'
    complete -c $argv[1] -s q -l queue -x -a '(__fq_queues)' -d 'Queue (the default one)'
    complete -c $argv[1] -s B -l bank -x -d 'Bank to charge'
    complete -c $argv[1] -s t -l time-limit -x -d 'Minutes, or 30s, 1.5h, 2d'
    complete -c $argv[1] -l urgency -x -a 'hold default expedite' -d '0-31, hold, default (16), expedite'
    complete -c $argv[1] -l qos -x -a 'expedite normal standby' -d 'Expedite, normal or standby'
    complete -c $argv[1] -l requires -x -d 'Constraint: \'gpu and not host:n[1-2]\''
    complete -c $argv[1] -l dependency -x -a '(__fq_dependency)' -d 'Afterok:ID, afterany:ID, singleton …'
    complete -c $argv[1] -l begin-time -x -d 'Do not start before'
    complete -c $argv[1] -l cwd -x -a '(__fish_complete_directories)' -d 'Working directory (this one)'
    complete -c $argv[1] -l env -x -d 'VAR=VALUE, PATTERN, -PATTERN or ^FILE'
    complete -c $argv[1] -l env-remove -x -d 'Do not pass on what matches'
    complete -c $argv[1] -l env-file -r -F -d 'Read rules from FILE'
    complete -c $argv[1] -l add-file -r -F -d 'Take FILE along, as {{tmpdir}}/NAME'
    complete -c $argv[1] -l rlimit -x -d 'NAME=VALUE, PATTERN or -PATTERN'
    complete -c $argv[1] -l input -r -F -d 'Stdin of the tasks'
    complete -c $argv[1] -l output -r -F -d 'File for stdout, as out-{{id}}.txt'
    complete -c $argv[1] -l error -r -F -d 'File for stderr'
    complete -c $argv[1] -s u -l unbuffered -d 'Do not buffer input and output'
    complete -c $argv[1] -s l -l label-io -d 'Put the task\'s rank before each line'
    complete -c $argv[1] -l signal -x -d 'Warn before the time limit (USR1@60s)'
    complete -c $argv[1] -l taskmap -x -a 'block cyclic manual:' -d 'Which task runs on which node'
    complete -c $argv[1] -l job-name -x -d 'Name (that of the program)'
    complete -c $argv[1] -s o -l setopt -x -a 'cpu-affinity= gpu-affinity= mem-affinity= output.mode= output.limit= exit-timeout= exit-on-error nosetpgrp oom.adjust= umask=' -d 'Option of the job\'s shell'
    complete -c $argv[1] -s S -l setattr -x -d 'Attribute; ^ATTR=FILE reads JSON'
    complete -c $argv[1] -l flags -x -a 'debug waitable' -d 'Debug, waitable'
    complete -c $argv[1] -l dry-run -d 'Print the jobspec, submit nothing'
    complete -c $argv[1] -l quiet -d 'Do not print the job id'
end
