# fish completion for fq-job
functions -q __fq_jobs; or source (status dirname)/fq.fish

# __fq_given: whether a job id stands on the line of a sub-command already.
function __fq_given
    string match -qv -- '-*' (commandline -opc)[3..-1]
end

complete -c fq-job -f
complete -c fq-job -n __fq_sub -a attach -d 'Show a job\'s output as it comes, and return its exit code'
complete -c fq-job -n __fq_sub -a eventlog -d 'Print a job\'s event log'
complete -c fq-job -n __fq_sub -a id -d 'Print job ids in another form'
complete -c fq-job -n __fq_sub -a info -d 'Print a document of a job: jobspec, R, J, eventlog, guest.NAME'
complete -c fq-job -n __fq_sub -a last -d 'Print the ids of your latest jobs'
complete -c fq-job -n __fq_sub -a status -d 'Wait for jobs and return the largest exit code'
complete -c fq-job -n __fq_sub -a submit -d 'Submit a jobspec in JSON or YAML'
complete -c fq-job -n __fq_sub -a wait -d 'Wait for a job and say how it ended'
complete -c fq-job -n __fq_sub -a why -d 'Say why a job has not started'
complete -c fq-job -n __fq_sub -s h -l help -d 'List the sub-commands'
complete -c fq-job -n __fq_sub -l version -d 'Show the version'

complete -c fq-job -n '__fq_sub attach' -s l -l label-io -d 'Each line after the rank of its task'
complete -c fq-job -n '__fq_sub attach' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub attach' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub attach' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub attach' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub attach' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub attach' -a '(__fq_jobs -a)'

complete -c fq-job -n '__fq_sub eventlog' -s f -l format -x -a 'text json' -d 'Text or json'
complete -c fq-job -n '__fq_sub eventlog' -s T -l time-format -x -a 'raw iso offset human' -d 'Raw, iso, offset or human'
complete -c fq-job -n '__fq_sub eventlog' -s H -l human -d 'Times as people read them'
complete -c fq-job -n '__fq_sub eventlog' -s p -l path -x -a 'guest.exec.eventlog guest.output' -d 'Another event log: guest.exec.eventlog, guest.output'
complete -c fq-job -n '__fq_sub eventlog' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub eventlog' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub eventlog' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub eventlog' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub eventlog' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub eventlog' -a '(__fq_jobs -a)'

complete -c fq-job -n '__fq_sub id' -s t -l to -x -a 'dec f58 f58plain hex dothex kvs emoji' -d 'Dec (default), hex, dothex, f58, f58plain, kvs or emoji'
complete -c fq-job -n '__fq_sub id' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub id' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub id' -a '(__fq_jobs -a)'

complete -c fq-job -n '__fq_sub info' -s o -l original -d 'As it was submitted'
complete -c fq-job -n '__fq_sub info' -s b -l base -d 'As it was submitted, without the environment'
complete -c fq-job -n '__fq_sub info' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub info' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub info' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub info' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub info' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub info; and not __fq_given' -a '(__fq_jobs -a)'
complete -c fq-job -n '__fq_sub info; and __fq_given' -a 'jobspec R J eventlog guest.output guest.exec.eventlog'

complete -c fq-job -n '__fq_sub last' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub last' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub last' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub last' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub last' -l version -d 'Show the version'

complete -c fq-job -n '__fq_sub status' -s v -l verbose -d 'Say how each one ended that did not complete'
complete -c fq-job -n '__fq_sub status' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub status' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub status' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub status' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub status' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub status' -a '(__fq_jobs -a)'

complete -c fq-job -n '__fq_sub submit' -s u -l urgency -x -a 'hold default expedite' -d '0-31, hold, default (16), expedite'
complete -c fq-job -n '__fq_sub submit' -s f -l flags -x -a 'debug waitable' -d 'Debug, waitable'
complete -c fq-job -n '__fq_sub submit' -l dry-run -d 'Print the jobspec as it would be stored'
complete -c fq-job -n '__fq_sub submit' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub submit' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub submit' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub submit' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub submit' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub submit' -F

complete -c fq-job -n '__fq_sub wait' -s v -l verbose -d 'Say how the job ended even if it completed'
complete -c fq-job -n '__fq_sub wait' -s t -l timeout -x -d 'Give up after that long, with exit code 124'
complete -c fq-job -n '__fq_sub wait' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub wait' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub wait' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub wait' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub wait' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub wait' -a '(__fq_jobs)'

complete -c fq-job -n '__fq_sub why' -l store -x -a '(__fish_complete_directories)' -d 'The store to use (default: $FQ_STORE)'
complete -c fq-job -n '__fq_sub why' -l lock-timeout -x -d 'Give up if the store is locked that long'
complete -c fq-job -n '__fq_sub why' -l color -x -a 'auto always never' -d 'Auto, always or never'
complete -c fq-job -n '__fq_sub why' -s h -l help -d 'Show this page'
complete -c fq-job -n '__fq_sub why' -l version -d 'Show the version'
complete -c fq-job -n '__fq_sub why' -a '(__fq_jobs -a)'
