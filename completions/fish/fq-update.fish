# fish completion for fq-update
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-update -f
complete -c fq-update -s n -l dry-run -d 'Check it, print it as JSON, change nothing'
complete -c fq-update -s v -l verbose -d 'Say what was changed'
complete -c fq-update -l wait -d 'Return when it is in the event log, as is always done'
complete -c fq-update -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-update -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-update -l outer -d 'The store that encloses the instance of this job'
complete -c fq-update -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-update -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-update -s h -l help -d 'Show this page'
complete -c fq-update -l version -d 'Show the version'
complete -c fq-update -a '(__fq_jobs) bank= constraints= cwd= duration= name= project= qos= queue= urgency='
