# fish completion for fq-sched
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-sched -f
complete -c fq-sched -n __fq_sub -a serve -d 'Be a built-in scheduler on stdin and stdout'
complete -c fq-sched -n __fq_sub -a check -d 'Whether a program is a scheduler that fq can use'
complete -c fq-sched -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-sched -n __fq_sub -l version -d 'Show the version'

complete -c fq-sched -n '__fq_sub serve' -s h -l help -d 'Show this page'
complete -c fq-sched -n '__fq_sub serve' -l version -d 'Show the version'
complete -c fq-sched -n '__fq_sub serve' -a 'easy conservative fcfs'

complete -c fq-sched -n '__fq_sub check' -s h -l help -d 'Show this page'
complete -c fq-sched -n '__fq_sub check' -l version -d 'Show the version'
complete -c fq-sched -n '__fq_sub check' -F
