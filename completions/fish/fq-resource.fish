# fish completion for fq-resource
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-resource -f
complete -c fq-resource -n __fq_sub -a list -d 'List resources by state'
complete -c fq-resource -n __fq_sub -a R -d 'Print the inventory as an RFC 20 resource set'
complete -c fq-resource -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-resource -n __fq_sub -l version -d 'Show the version'

complete -c fq-resource -n '__fq_sub list' -s n -l no-header -d 'Leave out the line of headings'
complete -c fq-resource -n '__fq_sub list' -s o -l format -x -a '(__fq_formats fq-resource list)' -d 'A format or its name; `help` lists both'
complete -c fq-resource -n '__fq_sub list' -l sort -x -a '(__fq_fields fq-resource list)' -d 'Sort by these fields; -KEY downwards'
complete -c fq-resource -n '__fq_sub list' -l json -d 'Print JSON'
complete -c fq-resource -n '__fq_sub list' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-resource -n '__fq_sub list' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-resource -n '__fq_sub list' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-resource -n '__fq_sub list' -s h -l help -d 'Show this page'
complete -c fq-resource -n '__fq_sub list' -l version -d 'Show the version'

complete -c fq-resource -n '__fq_sub R' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-resource -n '__fq_sub R' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-resource -n '__fq_sub R' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-resource -n '__fq_sub R' -s h -l help -d 'Show this page'
complete -c fq-resource -n '__fq_sub R' -l version -d 'Show the version'
