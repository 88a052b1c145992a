# fish completion for fq-uptime
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-uptime -f
complete -c fq-uptime -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-uptime -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-uptime -l outer -d 'The store that encloses the instance of this job'
complete -c fq-uptime -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-uptime -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-uptime -s h -l help -d 'Show this page'
complete -c fq-uptime -l version -d 'Show the version'
