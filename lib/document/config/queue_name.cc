#include "document/config/queue_name.h"

#include <algorithm>

#include "base/error.h"
#include "document/resource/resource_set.h"

namespace fq::document {
namespace {

constexpr std::size_t kMaxName = 128;
constexpr std::string_view kAllQueues = "all";

}  // namespace

std::string queue_name_fault(std::string_view name) {
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (name.empty()) return "a queue needs a name";
  if (name.size() > kMaxName) return fmt::format("the name has more than {} bytes", kMaxName);
  if (name == kAllQueues) return "'all' stands for every queue and cannot be the name of one";
  if (name.front() == '-') return "the name of a queue cannot begin with '-'";
  if (std::any_of(name.begin(), name.end(), bad) || name.find_first_of(",@*+^/=") != std::string_view::npos) {
    return "the name of a queue has no blanks and none of , @ * + ^ / =";
  }
  try {
    check_property_name(name);  // its membership property contains it
  } catch (const Error& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace fq::document
