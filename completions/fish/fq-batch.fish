# fish completion for fq-batch
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-batch -F
__fq_slots fq-batch
__fq_submission fq-batch
complete -c fq-batch -l dump -d 'Keep the job\'s own instance in an archive'
complete -c fq-batch -l conf -r -F -d 'Configure the job\'s own instance'
complete -c fq-batch -l wrap -d 'Run the operands, or stdin, with /bin/sh'
complete -c fq-batch -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-batch -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-batch -l outer -d 'The store that encloses the instance of this job'
complete -c fq-batch -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-batch -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-batch -s h -l help -d 'Show this page'
complete -c fq-batch -l version -d 'Show the version'
