// What starts a store's jobs again after a boot of the machine.

#pragma once

#include <string>

namespace fq::cli {

/// A line for crontab(5), where `%` would end the command: `@reboot …/fq-tick --store STORE`. Throws Error
/// where the program is missing.
[[nodiscard]] std::string crontab_line(const std::string& store);

}  // namespace fq::cli
