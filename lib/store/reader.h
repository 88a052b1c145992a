// What the rest of fq sees of the database for reading: values by key and ordered scans over four families
// of keys. No type of the engine shows here.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fq::store {

/// The column families. What each holds is described in schema/kvs.md.
enum class Family : std::uint8_t { kvs, jobs, index, instance };
inline constexpr int kFamilyCount = 4;

/// A position in an ordered scan. `key` and `value` are valid until the cursor moves or is destroyed, the
/// value of a key that the same transaction erases until then.
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// False at the end of the range.
  [[nodiscard]] virtual bool valid() const = 0;
  [[nodiscard]] virtual std::string_view key() const = 0;
  [[nodiscard]] virtual std::string_view value() const = 0;
  /// REQUIRES valid().
  virtual void next() = 0;
  /// Moves to the first key at or after `key` within the range.
  virtual void seek(std::string_view key) = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  [[nodiscard]] virtual std::optional<std::string> get(Family family, std::string_view key) const = 0;
  /// Every key in [from, to), ascending; an empty `to` means no end. The reader must outlive the cursor.
  [[nodiscard]] virtual std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                                     std::string_view to) const = 0;

  /// The greatest keys that begin with `prefix`, at most `most`, in descending order. Costs what it gives.
  [[nodiscard]] virtual std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                           std::size_t most) const = 0;

  /// Every key that begins with `prefix`.
  [[nodiscard]] std::unique_ptr<Cursor> scan_prefix(Family family, std::string_view prefix) const;
};

/// The smallest key that is greater than every key with this prefix; empty when there is none.
[[nodiscard]] std::string prefix_end(std::string_view prefix);

}  // namespace fq::store
