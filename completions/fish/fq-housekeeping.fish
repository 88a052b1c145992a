# fish completion for fq-housekeeping
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-housekeeping -f
complete -c fq-housekeeping -n __fq_sub -a list -d 'List what is run on nodes after jobs'
complete -c fq-housekeeping -n __fq_sub -a kill -d 'Send a signal to it'
complete -c fq-housekeeping -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-housekeeping -n __fq_sub -l version -d 'Show the version'

complete -c fq-housekeeping -n '__fq_sub list' -s n -l no-header -d 'Leave out the line of headings'
complete -c fq-housekeeping -n '__fq_sub list' -s o -l format -x -a '(__fq_formats fq-housekeeping list)' -d 'A format or its name; `help` lists both'
complete -c fq-housekeeping -n '__fq_sub list' -l sort -x -a '(__fq_fields fq-housekeeping list)' -d 'Sort by these fields; -KEY downwards'
complete -c fq-housekeeping -n '__fq_sub list' -l json -d 'Print JSON'
complete -c fq-housekeeping -n '__fq_sub list' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-housekeeping -n '__fq_sub list' -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-housekeeping -n '__fq_sub list' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-housekeeping -n '__fq_sub list' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-housekeeping -n '__fq_sub list' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-housekeeping -n '__fq_sub list' -s h -l help -d 'Show this page'
complete -c fq-housekeeping -n '__fq_sub list' -l version -d 'Show the version'

complete -c fq-housekeeping -n '__fq_sub kill' -s j -l jobid -x -a '(__fq_jobs -a)' -d 'After this job'
complete -c fq-housekeeping -n '__fq_sub kill' -s t -l targets -x -d 'On these nodes'
complete -c fq-housekeeping -n '__fq_sub kill' -l all -d 'All of it'
complete -c fq-housekeeping -n '__fq_sub kill' -s s -l signal -x -a '(__fq_signals)' -d 'This signal'
complete -c fq-housekeeping -n '__fq_sub kill' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-housekeeping -n '__fq_sub kill' -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-housekeeping -n '__fq_sub kill' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-housekeeping -n '__fq_sub kill' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-housekeeping -n '__fq_sub kill' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-housekeeping -n '__fq_sub kill' -s h -l help -d 'Show this page'
complete -c fq-housekeeping -n '__fq_sub kill' -l version -d 'Show the version'
