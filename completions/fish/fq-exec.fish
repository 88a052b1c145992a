# fish completion for fq-exec
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fq-exec -x -a '(__fish_complete_subcommand)'
complete -c fq-exec -s r -l rank -x -d 'On the nodes of these ranks'
complete -c fq-exec -s x -l exclude -x -d 'Not on these'
complete -c fq-exec -s j -l jobid -x -a '(__fq_jobs -f running)' -d 'On the nodes of this running job'
complete -c fq-exec -s d -l dir -x -a '(__fish_complete_directories)' -d 'In this directory'
complete -c fq-exec -s l -l label-io -d 'The rank before each line'
complete -c fq-exec -s n -l noinput -d 'Nothing is passed on from stdin'
complete -c fq-exec -s q -l quiet -d 'Say nothing of those that failed'
complete -c fq-exec -s v -l verbose -d 'Say how all of them ended'
complete -c fq-exec -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-exec -l host -x -a '(__fish_print_hostnames)' -d 'A store of that machine, by ssh'
complete -c fq-exec -l outer -d 'The store that encloses the instance of this job'
complete -c fq-exec -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-exec -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-exec -s h -l help -d 'Show this page'
complete -c fq-exec -l version -d 'Show the version'
