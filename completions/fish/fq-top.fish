# fish completion for fq-top
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-top -f
complete -c fq-top -s q -l queue -x -a '(__fq_queues)' -d 'Jobs and nodes of this queue alone'
complete -c fq-top -s b -l batch -d 'Print it once, and end'
complete -c fq-top -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-top -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-top -l outer -d 'The store that encloses the instance of this job'
complete -c fq-top -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-top -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-top -s h -l help -d 'Show this page'
complete -c fq-top -l version -d 'Show the version'
