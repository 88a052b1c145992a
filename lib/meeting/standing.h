// Standing instances: stores in a store, one for each queue that is an instance of its own.
//
//   STORE/instances/NAME           the instance's store
//   STORE/instances/NAME/standing  what it was last made for: {"queue": NAME, "generation": N}
//   STORE/instances/.lock          flock held by who changes what instances there are, or what they have
//
// Commands name the store around them: it has what is asked carried to where it belongs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fq::meeting {

[[nodiscard]] std::string instances_directory(const std::string& store);
/// The store of the instance that is queue `queue` of `store`.
[[nodiscard]] std::string standing_store(const std::string& store, std::string_view queue);

/// For which configuration the instance at `path` was last made; nothing where it was not.
[[nodiscard]] std::optional<std::uint64_t> read_standing(const std::string& path);
/// Notes that. 0: it is to be made anew. Throws Error.
void write_standing(const std::string& path, std::string_view queue, std::uint64_t generation);

/// The store that commands name which mean the one at `path`: that around it, where it is a standing
/// instance.
[[nodiscard]] std::string addressed_store(const std::string& path);

}  // namespace fq::meeting
