// Keys that users choose in a job's documents (RFC 16): `application`, `tools.gdb`, `trace`.

#pragma once

#include <cstddef>
#include <string_view>

namespace fq::notation {

inline constexpr std::size_t kMaxKvsKey = 128;

/// Whether `text` is one: words joined with dots, of letters, digits and `_ - + @ : , =`, 128 bytes in all at
/// most. So it is a plain file name, too.
[[nodiscard]] bool is_kvs_key(std::string_view text);

/// Whether `key` is `directory`, or stands below it: `exec` and `exec.eventlog` are in `exec`.
[[nodiscard]] bool is_in(std::string_view directory, std::string_view key);

}  // namespace fq::notation
