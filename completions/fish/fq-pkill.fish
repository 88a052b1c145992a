# fish completion for fq-pkill
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-pkill -f
complete -c fq-pkill -s A -d 'Every user\'s'
complete -c fq-pkill -s u -l user -x -a '(__fish_complete_users) all' -d 'This user\'s, or `all`'
complete -c fq-pkill -s q -l queue -x -a '(__fq_list all (__fq_queues))' -d 'In these queues, or `all`'
complete -c fq-pkill -s f -l filter -x -a '(__fq_states)' -d 'In these states or with these results'
complete -c fq-pkill -s c -l count -x -d 'The first N that fit (0: all)'
complete -c fq-pkill -l max-entries -x -d 'Look at N jobs (0: all)'
complete -c fq-pkill -s w -l wait -d 'Wait until they have ended'
complete -c fq-pkill -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-pkill -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-pkill -l outer -d 'The store that encloses the instance of this job'
complete -c fq-pkill -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-pkill -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-pkill -s h -l help -d 'Show this page'
complete -c fq-pkill -l version -d 'Show the version'
