# fish completion for fq-log
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-log -f
complete -c fq-log -s c -l count -x -d 'The last N (default 1000; 0: all)'
complete -c fq-log -l since -x -d 'Since then: -1h, or seconds since the epoch'
complete -c fq-log -s n -l no-header -d 'Leave out the line of headings'
complete -c fq-log -s o -l format -x -a '(__fq_formats fq-log)' -d 'A format or its name; `help` lists both'
complete -c fq-log -l sort -x -a '(__fq_fields fq-log)' -d 'Sort by these fields; -KEY downwards'
complete -c fq-log -l json -d 'Print JSON'
complete -c fq-log -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-log -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-log -l outer -d 'The store that encloses the instance of this job'
complete -c fq-log -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-log -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-log -s h -l help -d 'Show this page'
complete -c fq-log -l version -d 'Show the version'
