# fish completion for fq-run
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-run -x -a '(__fish_complete_subcommand)'
__fq_tasks fq-run
__fq_submission fq-run
complete -c fq-run -s T -l pty -d 'Run task 0 on a terminal'
complete -c fq-run -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-run -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-run -l outer -d 'The store that encloses the instance of this job'
complete -c fq-run -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-run -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-run -s h -l help -d 'Show this page'
complete -c fq-run -l version -d 'Show the version'
