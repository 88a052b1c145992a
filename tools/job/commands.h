// The sub-commands of fq-job. Each takes its own arguments (argv[0] its name) and returns an exit code.

#pragma once

namespace fq::tools::job {

int attach(int argc, char** argv);
int data(int argc, char** argv);
int eventlog(int argc, char** argv);
int hostpids(int argc, char** argv);
int id(int argc, char** argv);
int info(int argc, char** argv);
int kill(int argc, char** argv);
int killall(int argc, char** argv);
int last(int argc, char** argv);
int memo(int argc, char** argv);
int purge(int argc, char** argv);
int raise(int argc, char** argv);
int raiseall(int argc, char** argv);
int status(int argc, char** argv);
int submit(int argc, char** argv);
int taskmap(int argc, char** argv);
int timeleft(int argc, char** argv);
int uri(int argc, char** argv);
int urgency(int argc, char** argv);
int wait(int argc, char** argv);
int wait_event(int argc, char** argv);
int why(int argc, char** argv);

}  // namespace fq::tools::job
