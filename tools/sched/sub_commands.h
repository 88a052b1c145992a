// The sub-commands of fq-sched.

#pragma once

namespace fq::tools {

int serve_scheduler(int argc, char** argv);
int check_scheduler(int argc, char** argv);

}  // namespace fq::tools
