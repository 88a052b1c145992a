# fish completion for fq-bulksubmit
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-bulksubmit -x -a '(__fish_complete_subcommand)'
__fq_bulk fq-bulksubmit
__fq_tasks fq-bulksubmit
__fq_submission fq-bulksubmit
complete -c fq-bulksubmit -l sep -x -d 'What separates inputs in files (\\n); none: blanks'
complete -c fq-bulksubmit -l define -x -d 'Method {.NAME}, from input x'
complete -c fq-bulksubmit -l shuffle -d 'Submit in random order'
complete -c fq-bulksubmit -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-bulksubmit -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-bulksubmit -l outer -d 'The store that encloses the instance of this job'
complete -c fq-bulksubmit -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-bulksubmit -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-bulksubmit -s h -l help -d 'Show this page'
complete -c fq-bulksubmit -l version -d 'Show the version'
