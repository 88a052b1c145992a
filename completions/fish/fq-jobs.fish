# fish completion for fq-jobs
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-jobs -f
complete -c fq-jobs -s a -d 'Inactive jobs too'
complete -c fq-jobs -s A -d 'Every user\'s'
complete -c fq-jobs -s u -l user -x -a '(__fish_complete_users) all' -d 'This user\'s, or `all`'
complete -c fq-jobs -s q -l queue -x -d 'In these queues, or `all`'
complete -c fq-jobs -s f -l filter -x -a '(__fq_states)' -d 'In these states or with these results'
complete -c fq-jobs -l name -x -d 'Of this name'
complete -c fq-jobs -l since -x -d 'Ended since: -1h, or seconds since the epoch; implies -a'
complete -c fq-jobs -s c -l count -x -d 'At most N (default 1000; 0: all)'
complete -c fq-jobs -s n -l no-header -d 'Leave out the line of headings'
complete -c fq-jobs -s o -l format -x -a '(__fq_formats fq-jobs)' -d 'A format or its name; `help` lists both'
complete -c fq-jobs -l sort -x -a '(__fq_fields fq-jobs)' -d 'Sort by these fields; -KEY downwards'
complete -c fq-jobs -l json -d 'Print JSON'
complete -c fq-jobs -l stats -d 'A line of counts first'
complete -c fq-jobs -l stats-only -d 'Nothing but the line of counts'
complete -c fq-jobs -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-jobs -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-jobs -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-jobs -s h -l help -d 'Show this page'
complete -c fq-jobs -l version -d 'Show the version'
complete -c fq-jobs -a '(__fq_jobs -a)'
