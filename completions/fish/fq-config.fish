# fish completion for fq-config
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-config -f
complete -c fq-config -n __fq_sub -a check -d 'Check a configuration, change nothing'
complete -c fq-config -n __fq_sub -a load -d 'Check a configuration and put it into force'
complete -c fq-config -n __fq_sub -a get -d 'Print one value of the configuration, or all'
complete -c fq-config -n __fq_sub -a show -d 'Print the configuration in force as JSON'
complete -c fq-config -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-config -n __fq_sub -l version -d 'Show the version'

complete -c fq-config -n '__fq_sub check' -F
complete -c fq-config -n '__fq_sub check' -l R -r -F -d 'For the nodes of this RFC 20 set'
complete -c fq-config -n '__fq_sub check' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-config -n '__fq_sub check' -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-config -n '__fq_sub check' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-config -n '__fq_sub check' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-config -n '__fq_sub check' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-config -n '__fq_sub check' -s h -l help -d 'Show this page'
complete -c fq-config -n '__fq_sub check' -l version -d 'Show the version'

complete -c fq-config -n '__fq_sub load' -F
complete -c fq-config -n '__fq_sub load' -l force -d 'Though jobs wait in queues that are gone by it'
complete -c fq-config -n '__fq_sub load' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-config -n '__fq_sub load' -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-config -n '__fq_sub load' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-config -n '__fq_sub load' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-config -n '__fq_sub load' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-config -n '__fq_sub load' -s h -l help -d 'Show this page'
complete -c fq-config -n '__fq_sub load' -l version -d 'Show the version'

complete -c fq-config -n '__fq_sub get' -s d -l default -x -d 'Print this where the key is not set'
complete -c fq-config -n '__fq_sub get' -l damaged -d 'Of a damaged store, read what can be read'
complete -c fq-config -n '__fq_sub get' -s t -l type -x -a 'string integer real boolean object array fsd fsd-integer fsd-real' -d 'Refuse values of other types'
complete -c fq-config -n '__fq_sub get' -s q -l quiet -d 'Say nothing where the key is not set'
complete -c fq-config -n '__fq_sub get' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-config -n '__fq_sub get' -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-config -n '__fq_sub get' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-config -n '__fq_sub get' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-config -n '__fq_sub get' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-config -n '__fq_sub get' -s h -l help -d 'Show this page'
complete -c fq-config -n '__fq_sub get' -l version -d 'Show the version'

complete -c fq-config -n '__fq_sub show' -l damaged -d 'Of a damaged store, read what can be read'
complete -c fq-config -n '__fq_sub show' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-config -n '__fq_sub show' -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-config -n '__fq_sub show' -l outer -d 'The store that encloses the instance of this job'
complete -c fq-config -n '__fq_sub show' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-config -n '__fq_sub show' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-config -n '__fq_sub show' -s h -l help -d 'Show this page'
complete -c fq-config -n '__fq_sub show' -l version -d 'Show the version'
