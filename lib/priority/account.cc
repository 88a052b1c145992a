#include "priority/account.h"

#include <algorithm>

#include "base/error.h"

namespace fq::priority {

std::string account_name_fault(std::string_view what, std::string_view name) {
  constexpr std::size_t kMaxName = 128;
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (name.empty()) return fmt::format("a {} needs a name", what);
  if (name.size() > kMaxName) return fmt::format("the name of the {} has more than {} bytes", what, kMaxName);
  if (name.front() == '-') return fmt::format("the name of a {} cannot begin with '-'", what);
  if (std::any_of(name.begin(), name.end(), bad) || name.find_first_of(",\"'|:=/") != std::string_view::npos)
    return fmt::format("the name of a {} has no blanks, no quotes and none of , | : = /", what);
  return {};
}

}  // namespace fq::priority
