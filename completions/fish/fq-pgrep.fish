# fish completion for fq-pgrep
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-pgrep -f
complete -c fq-pgrep -s a -d 'Inactive jobs too'
complete -c fq-pgrep -s A -d 'Every user\'s'
complete -c fq-pgrep -s u -l user -x -a '(__fish_complete_users) all' -d 'This user\'s, or `all`'
complete -c fq-pgrep -s q -l queue -x -a '(__fq_list all (__fq_queues))' -d 'In these queues, or `all`'
complete -c fq-pgrep -s f -l filter -x -a '(__fq_states)' -d 'In these states or with these results'
complete -c fq-pgrep -s c -l count -x -d 'The first N that fit (0: all)'
complete -c fq-pgrep -l max-entries -x -d 'Look at N jobs (0: all)'
complete -c fq-pgrep -s n -l no-header -d 'Leave out the line of headings'
complete -c fq-pgrep -s o -l format -x -a '(__fq_formats fq-jobs)' -d 'A format or its name; `help` lists both'
complete -c fq-pgrep -l sort -x -a '(__fq_fields fq-jobs)' -d 'Sort by these fields; -KEY downwards'
complete -c fq-pgrep -l json -d 'Print JSON'
complete -c fq-pgrep -l damaged -d 'Of a damaged store, read what can be read'
complete -c fq-pgrep -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-pgrep -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-pgrep -l outer -d 'The store that encloses the instance of this job'
complete -c fq-pgrep -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-pgrep -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-pgrep -s h -l help -d 'Show this page'
complete -c fq-pgrep -l version -d 'Show the version'
