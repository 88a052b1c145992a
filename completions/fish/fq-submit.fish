# fish completion for fq-submit
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-submit -x -a '(__fish_complete_subcommand)'
__fq_bulk fq-submit
__fq_tasks fq-submit
__fq_submission fq-submit
complete -c fq-submit -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-submit -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-submit -l outer -d 'The store that encloses the instance of this job'
complete -c fq-submit -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-submit -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-submit -s h -l help -d 'Show this page'
complete -c fq-submit -l version -d 'Show the version'
