# fish completion for fq-sim
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-sim -l config -r -F -d 'With these queues and schedulers'
complete -c fq-sim -l compare -r -F -d 'One row for each of these configurations'
complete -c fq-sim -l nodes -x -d 'On so many nodes, not those of the trace'
complete -c fq-sim -l json -d 'Print JSON'
complete -c fq-sim -l schedule -d 'With --json: also when and where each job ran'
complete -c fq-sim -s h -l help -d 'Show this page'
complete -c fq-sim -l version -d 'Show the version'
