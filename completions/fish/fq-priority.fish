# fish completion for fq-priority
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-priority -f
complete -c fq-priority -n __fq_sub -a show -d 'What the priorities of waiting jobs are made of'
complete -c fq-priority -n __fq_sub -a weights -d 'By which schemes and weights queues order jobs'
complete -c fq-priority -n __fq_sub -a simulate -d 'The order of jobs now and with other weights'
complete -c fq-priority -n __fq_sub -a update -d 'Do what time has made due: for cron, never needed'
complete -c fq-priority -n __fq_sub -a compute -d 'The priority of factors and weights, without a store'
complete -c fq-priority -n __fq_sub -a fair-share -d 'The fair-share of a tree of banks, without a store'
complete -c fq-priority -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-priority -n __fq_sub -l version -d 'Show the version'

complete -c fq-priority -n '__fq_sub show' -s q -l queue -x -a '(__fq_queues)' -d 'Of these queues'
complete -c fq-priority -n '__fq_sub show' -s c -l count -x -d 'The first N, 0 for all (1000)'
complete -c fq-priority -n '__fq_sub show' -s n -l no-header -d 'Leave out the line of headings'
complete -c fq-priority -n '__fq_sub show' -s o -l format -x -a '(__fq_formats fq-priority show)' -d 'A format or its name; `help` lists both'
complete -c fq-priority -n '__fq_sub show' -l sort -x -a '(__fq_fields fq-priority show)' -d 'Sort by these fields; -KEY downwards'
complete -c fq-priority -n '__fq_sub show' -l json -d 'Print JSON'
complete -c fq-priority -n '__fq_sub show' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-priority -n '__fq_sub show' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-priority -n '__fq_sub show' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-priority -n '__fq_sub show' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-priority -n '__fq_sub show' -s h -l help -d 'Show this page'
complete -c fq-priority -n '__fq_sub show' -l version -d 'Show the version'
complete -c fq-priority -n '__fq_sub show' -a '(__fq_jobs -a)'

complete -c fq-priority -n '__fq_sub weights' -l json -d 'Print JSON'
complete -c fq-priority -n '__fq_sub weights' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-priority -n '__fq_sub weights' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-priority -n '__fq_sub weights' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-priority -n '__fq_sub weights' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-priority -n '__fq_sub weights' -s h -l help -d 'Show this page'
complete -c fq-priority -n '__fq_sub weights' -l version -d 'Show the version'
complete -c fq-priority -n '__fq_sub weights' -a '(__fq_queues)'

complete -c fq-priority -n '__fq_sub simulate' -l weight -x -d 'This weight, in every queue'
complete -c fq-priority -n '__fq_sub simulate' -l config -r -F -d 'The policy of this configuration'
complete -c fq-priority -n '__fq_sub simulate' -l json -d 'Print JSON'
complete -c fq-priority -n '__fq_sub simulate' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-priority -n '__fq_sub simulate' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-priority -n '__fq_sub simulate' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-priority -n '__fq_sub simulate' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-priority -n '__fq_sub simulate' -s h -l help -d 'Show this page'
complete -c fq-priority -n '__fq_sub simulate' -l version -d 'Show the version'

complete -c fq-priority -n '__fq_sub update' -s v -l verbose -d 'Say in one line what came of it'
complete -c fq-priority -n '__fq_sub update' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-priority -n '__fq_sub update' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-priority -n '__fq_sub update' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-priority -n '__fq_sub update' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-priority -n '__fq_sub update' -s h -l help -d 'Show this page'
complete -c fq-priority -n '__fq_sub update' -l version -d 'Show the version'

complete -c fq-priority -n '__fq_sub compute' -s h -l help -d 'Show this page'
complete -c fq-priority -n '__fq_sub compute' -l version -d 'Show the version'
complete -c fq-priority -n '__fq_sub compute' -F

complete -c fq-priority -n '__fq_sub fair-share' -l algorithm -x -a 'ratio fair-tree' -d 'Ratio or fair-tree (ratio)'
complete -c fq-priority -n '__fq_sub fair-share' -s h -l help -d 'Show this page'
complete -c fq-priority -n '__fq_sub fair-share' -l version -d 'Show the version'
complete -c fq-priority -n '__fq_sub fair-share' -F
