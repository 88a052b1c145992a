// What a batch job did in the instance that it had of its own (meeting/enclosure.h), kept as an archive: the
// store of the instance as a directory in a file of tar.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "process/start/process.h"

namespace fq::shell {

struct InstanceDump {
  std::string file;                      ///< its suffix says how it is compressed; relative to where this is
  std::string tmpdir;                    ///< the job's
  std::vector<std::string> environment;  ///< NAME=VALUE, where `tar` is looked for
};

/// Keeps it when nothing of the job runs any more; a file of that name is replaced when the new one is whole.
/// `record` is told of the process, as by process::start_tasks. While it runs `waits` is called, and ends it
/// by false. Returns why it is not kept; empty: it is.
[[nodiscard]] std::string dump_instance(
    const InstanceDump& dump, const std::function<void(const std::vector<process::StartedTask>&)>& record,
    const std::function<bool()>& waits);

}  // namespace fq::shell
