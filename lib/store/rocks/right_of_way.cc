#include "store/rocks/right_of_way.h"

#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "store/rocks/journal.h"

namespace fq::store::rocks {
namespace {

// Whoever gives way has the lock itself for a moment.
constexpr double kPatience_s = 0.001;

std::optional<FileLock> lock_journal(const std::string& database, LockMode mode, double timeout_s) noexcept {
  const std::string path = database + "/" + Journal::kName;
  try {
    if (exists(path)) return FileLock::acquire(path, mode, timeout_s);
  } catch (const Error&) {
    // Without it both are slower, that is all.
  }
  return std::nullopt;
}

}  // namespace

RightOfWay::RightOfWay(const std::string& database) noexcept
    : lock_(lock_journal(database, LockMode::exclusive, kPatience_s)) {}

void give_way(const std::string& database) noexcept {
  lock_journal(database, LockMode::shared, std::numeric_limits<double>::infinity());
}

}  // namespace fq::store::rocks
