# fish completion for fqueue, another name of fq
functions -q __fq_jobs; or source (status dirname)/fq.fish

complete -c fqueue -w fq
