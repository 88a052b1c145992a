# fish completion for fq-R
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-R -f
complete -c fq-R -n __fq_sub -a encode -d 'Make a resource set of nodes that are alike'
complete -c fq-R -n __fq_sub -a decode -d 'Print the union of resource sets, or what it has'
complete -c fq-R -n __fq_sub -a verify -d 'Check that a second set has what it should'
complete -c fq-R -n __fq_sub -a union -d 'What any of the sets has'
complete -c fq-R -n __fq_sub -a intersect -d 'What all of the sets have'
complete -c fq-R -n __fq_sub -a diff -d 'What the first set has and no other'
complete -c fq-R -n __fq_sub -a append -d 'The union of sets that share nothing'
complete -c fq-R -n __fq_sub -a remap -d 'Number the ranks, and the cores of each, from 0'
complete -c fq-R -n __fq_sub -a rerank -d 'Number the ranks by the place of their hosts in a list'
complete -c fq-R -n __fq_sub -a set-property -d 'Give ranks, or all, a property'
complete -c fq-R -n __fq_sub -a parse-config -d 'Print the nodes that a configuration gives'
complete -c fq-R -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-R -n __fq_sub -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub encode' -s r -l ranks -x -d 'Ranks (one for each host, else 0)'
complete -c fq-R -n '__fq_sub encode' -s c -l cores -x -d 'Cores of each rank (0)'
complete -c fq-R -n '__fq_sub encode' -s g -l gpus -x -d 'GPUs of each rank (none)'
complete -c fq-R -n '__fq_sub encode' -s H -l hosts -x -d 'The hosts, in the order of ranks (this host)'
complete -c fq-R -n '__fq_sub encode' -s p -l property -x -d 'Give these ranks, or all, a property'
complete -c fq-R -n '__fq_sub encode' -s l -l local -d 'Cores and GPUs as this machine has them'
complete -c fq-R -n '__fq_sub encode' -s f -l xml -r -F -d 'As hwloc wrote them into FILE'
complete -c fq-R -n '__fq_sub encode' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub encode' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub decode' -s i -l include -x -d 'These ranks only'
complete -c fq-R -n '__fq_sub decode' -s x -l exclude -x -d 'Not these ranks'
complete -c fq-R -n '__fq_sub decode' -s p -l properties -x -d 'Ranks with all of these; ^NAME: without'
complete -c fq-R -n '__fq_sub decode' -s s -l short -d 'As rank[0-1]/core[0-3]'
complete -c fq-R -n '__fq_sub decode' -s n -l nodelist -d 'The hosts'
complete -c fq-R -n '__fq_sub decode' -s r -l ranks -d 'The ranks'
complete -c fq-R -n '__fq_sub decode' -s c -l count -x -a 'node core gpu' -d 'How many'
complete -c fq-R -n '__fq_sub decode' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub decode' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub verify' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub verify' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub union' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub union' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub intersect' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub intersect' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub diff' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub diff' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub append' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub append' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub remap' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub remap' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub rerank' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub rerank' -l version -d 'Show the version'

complete -c fq-R -n '__fq_sub set-property' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub set-property' -l version -d 'Show the version'
complete -c fq-R -n '__fq_sub parse-config' -F
complete -c fq-R -n '__fq_sub parse-config' -s h -l help -d 'Show this page'
complete -c fq-R -n '__fq_sub parse-config' -l version -d 'Show the version'
