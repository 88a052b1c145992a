# fish completion for fq-alloc
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-alloc -x -a '(__fish_complete_subcommand)'
__fq_slots fq-alloc
__fq_submission fq-alloc
complete -c fq-alloc -l bg -d 'Wait until it runs, print its id, stay here'
complete -c fq-alloc -l dump -d 'Keep the job\'s own instance in an archive'
complete -c fq-alloc -l hangup -d 'The job ends when this terminal goes away'
complete -c fq-alloc -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-alloc -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-alloc -l outer -d 'The store that encloses the instance of this job'
complete -c fq-alloc -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-alloc -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-alloc -s h -l help -d 'Show this page'
complete -c fq-alloc -l version -d 'Show the version'
