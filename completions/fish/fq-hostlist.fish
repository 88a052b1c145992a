# fish completion for fq-hostlist
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-hostlist -f
complete -c fq-hostlist -s i -l intersect -d 'Hosts that are in all of them'
complete -c fq-hostlist -s m -l minus -d 'Those of the first without those of the others'
complete -c fq-hostlist -s X -l xor -d 'Hosts that are in one, not in both; pairwise'
complete -c fq-hostlist -s x -l exclude -x -d 'Without these hosts, or these indexes'
complete -c fq-hostlist -s S -l sort -d 'In the order of names and numbers'
complete -c fq-hostlist -s u -l union -d 'Sorted, and each host once'
complete -c fq-hostlist -l unique -d 'Sorted, and each host once'
complete -c fq-hostlist -s L -l limit -x -d 'The first N; -N: the last N'
complete -c fq-hostlist -s n -l nth -x -d 'Those at these indexes; -IDS: from the end'
complete -c fq-hostlist -s e -l expand -d 'Each host, separated by blanks'
complete -c fq-hostlist -s d -l delimiter -x -d 'Separated by S'
complete -c fq-hostlist -s c -l count -d 'How many there are'
complete -c fq-hostlist -s F -l find -x -d 'The indexes of these hosts'
complete -c fq-hostlist -s q -l quiet -d 'Print nothing; exit with 1 if there are none'
complete -c fq-hostlist -s f -l fallback -d 'Take ids for hosts, as is always done'
complete -c fq-hostlist -s h -l help -d 'Show this page'
complete -c fq-hostlist -l version -d 'Show the version'
