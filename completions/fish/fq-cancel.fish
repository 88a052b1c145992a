# fish completion for fq-cancel
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-cancel -f
complete -c fq-cancel -l all -d 'All of yours that are active'
complete -c fq-cancel -s u -l user -x -a '(__fish_complete_users) all' -d 'This user\'s, or `all`'
complete -c fq-cancel -s q -l queue -x -a '(__fq_list all (__fq_queues))' -d 'With these: in this queue'
complete -c fq-cancel -s S -l states -x -a '(__fq_states)' -d 'Those in these states, as pending,running'
complete -c fq-cancel -s m -l message -x -d 'A note for the job\'s exception'
complete -c fq-cancel -s n -l dry-run -d 'Say what would be canceled'
complete -c fq-cancel -l quiet -d 'Print no count'
complete -c fq-cancel -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-cancel -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-cancel -l outer -d 'The store that encloses the instance of this job'
complete -c fq-cancel -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-cancel -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-cancel -s h -l help -d 'Show this page'
complete -c fq-cancel -l version -d 'Show the version'
complete -c fq-cancel -a '(__fq_jobs)'
