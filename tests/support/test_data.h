// The files that tests read: tests/data of the tree from which they were built.

#pragma once

#include <string>
#include <string_view>

namespace fq {

/// The path of `tests/data/<name>`.
[[nodiscard]] std::string test_data(std::string_view name);

}  // namespace fq
