# fish completion for fq-report
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-report -f
complete -c fq-report -l html -d 'One page that needs nothing else'
complete -c fq-report -l metrics -d 'Figures as text for Prometheus'
complete -c fq-report -l csv -d 'The same as comma-separated values'
complete -c fq-report -l json -d 'Print JSON'
complete -c fq-report -s o -l output -r -F -d 'Write to this file, whole or not at all'
complete -c fq-report -l days -x -d 'The last N days (30)'
complete -c fq-report -l title -x -d 'What stands on top of the page (fq)'
complete -c fq-report -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-report -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-report -l outer -d 'The store that encloses the instance of this job'
complete -c fq-report -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-report -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-report -s h -l help -d 'Show this page'
complete -c fq-report -l version -d 'Show the version'
