#include "document/config/queue_name.h"

#include <algorithm>

#include "base/error.h"
#include "document/resource/resource_set.h"

namespace fq::document {
namespace {

constexpr std::size_t kMaxName = 128;
constexpr std::string_view kAllQueues = "all";

// What holds for the names of both; `what` is `a queue`.
std::string name_fault(std::string_view what, std::string_view name) {
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (name.empty()) return fmt::format("{} needs a name", what);
  if (name.size() > kMaxName) return fmt::format("the name has more than {} bytes", kMaxName);
  if (name.front() == '-') return fmt::format("the name of {} cannot begin with '-'", what);
  if (std::any_of(name.begin(), name.end(), bad) || name.find_first_of(",@*+^/=") != std::string_view::npos)
    return fmt::format("the name of {} has no blanks and none of , @ * + ^ / =", what);
  return {};
}

}  // namespace

std::string queue_name_fault(std::string_view name) {
  if (name == kAllQueues) return "'all' stands for every queue and cannot be the name of one";
  if (std::string fault = name_fault("a queue", name); !fault.empty()) return fault;
  try {
    check_property_name(name);  // its membership property contains it
  } catch (const Error& failure) {
    return failure.what();
  }
  return {};
}

std::string qos_name_fault(std::string_view name) {
  return name_fault("a quality of service", name);
}

}  // namespace fq::document
