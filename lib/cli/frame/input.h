// What a command reads: a file that an operand names, or standard input.

#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fq::cli {

/// The most that a command takes from its input where nothing else is said.
inline constexpr std::size_t kMaxInput = std::size_t{1} << 28;

/// All of the file `path`, or of standard input for `-`. Throws Error, Error{invalid} for more than `most`
/// bytes.
[[nodiscard]] std::string read_input(const std::string& path, std::size_t most = kMaxInput);

/// The same as a value, for code that tests give texts of their own.
using ReadInput = std::function<std::string(const std::string& path)>;

}  // namespace fq::cli
