# fish completion for fq-init
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-init -f
complete -c fq-init -l R -r -F -d 'An RFC 20 resource set instead of this machine\'s cores and GPUs'
complete -c fq-init -l gpus -x -d 'This machine has N GPUs, whatever is found'
complete -c fq-init -l test-nodes -x -d 'Pretend to have N nodes; their jobs run on this machine'
complete -c fq-init -l config -r -F -d 'Load this configuration'
complete -c fq-init -l force -d 'Replace a store that has no active jobs'
complete -c fq-init -l adopt -d 'Make a store of a copy taken while jobs ran'
complete -c fq-init -l system -d 'Make all that a queue of this machine\'s users needs'
complete -c fq-init -l new-key -d 'With --system: new keys in place of root\'s'
complete -c fq-init -l quiet -d 'Print nothing'
complete -c fq-init -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-init -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-init -l outer -d 'The store that encloses the instance of this job'
complete -c fq-init -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-init -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-init -s h -l help -d 'Show this page'
complete -c fq-init -l version -d 'Show the version'
