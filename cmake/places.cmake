# Where a machine has what its users share.
set(FQ_USER fq CACHE STRING "The system user that a shared store belongs to")
set(FQ_SYSTEM_STORE /var/lib/fq CACHE STRING "The store that all users of a machine share")
set(FQ_SYSCONFDIR /etc/fq CACHE STRING "Where root's keys are")
set(FQ_IMP_STATEDIR /var/lib/fq-imp CACHE STRING "Where root notes what has run")
set(FQ_IMP_RUNDIR /run/fq-imp CACHE STRING "Where root records what runs")
