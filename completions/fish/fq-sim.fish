# fish completion for fq-sim
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-sim -l jobs -r -F -d 'These jobs, a row each'
complete -c fq-sim -l from-store -d 'The jobs that the store has seen, on its nodes'
complete -c fq-sim -l accounts -r -F -d 'With these banks, or users, as fq account export writes them'
complete -c fq-sim -l config -r -F -d 'With these queues and schedulers'
complete -c fq-sim -l compare -r -F -d 'One row for each of these configurations'
complete -c fq-sim -l nodes -x -d 'On so many nodes, not those of the trace'
complete -c fq-sim -l json -d 'Print JSON'
complete -c fq-sim -l schedule -d 'With --json: also when and where each job ran'
complete -c fq-sim -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-sim -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-sim -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-sim -s h -l help -d 'Show this page'
complete -c fq-sim -l version -d 'Show the version'
