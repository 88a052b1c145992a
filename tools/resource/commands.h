// The sub-commands of fq-resource that have files of their own. Each takes its own arguments (argv[0] its
// name) and returns an exit code.

#pragma once

namespace fq::tools::resource {

int cancel_reservation(int argc, char** argv);
int drain(int argc, char** argv);
int reload(int argc, char** argv);
int reservations(int argc, char** argv);
int reserve(int argc, char** argv);
int undrain(int argc, char** argv);
int who(int argc, char** argv);

}  // namespace fq::tools::resource
