# fish completion for fq-fsck
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-fsck -f
complete -c fq-fsck -l repair -d 'Repair what is found, and say what is given up'
complete -c fq-fsck -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-fsck -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-fsck -l outer -d 'The store that encloses the instance of this job'
complete -c fq-fsck -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-fsck -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-fsck -s h -l help -d 'Show this page'
complete -c fq-fsck -l version -d 'Show the version'
