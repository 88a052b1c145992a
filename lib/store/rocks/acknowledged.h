// What was acknowledged, noted beside the files in which it is.
//
// Of a file that was cut or altered at its end the engine makes out an older state, whole and without what
// came later. So after each commit, and each change of the set of tables, `acknowledged` in the database's
// directory is told how far things had come: it is one sector, written in place and not synced. What it tells
// was durable before, so it may be older than the database after a power failure, and never newer. A database
// that is behind it has lost something. One that is missing, or is not what was written, contradicts nothing;
// the next commit writes it anew.
//
// Little-endian, `fqA1`, a CRC-32 of what follows it, the fields of Acknowledged in their order.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fq::store::rocks {

/// What the names of manifests begin with.
inline constexpr std::string_view kManifestPrefix = "MANIFEST-";

/// The beginning of a manifest.
struct ManifestExtent {
  std::uint64_t number = 0;  ///< of its name; 0: of no manifest
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;  ///< CRC-32 of them

  friend bool operator==(const ManifestExtent&, const ManifestExtent&) = default;
};

/// Frames of the journal, those from its start.
struct JournalExtent {
  std::uint64_t epoch = 0;  ///< 0: no log is in it
  std::uint32_t frames = 0;
};

struct Acknowledged {
  std::uint64_t transaction = 0;  ///< the last
  ManifestExtent manifest;        ///< what CURRENT named, and how much of it was synced
  JournalExtent journal;          ///< where to begin to doubt: no proof, logs come and go
};

inline constexpr const char* kAcknowledgedName = "acknowledged";

/// Nothing where there is none that counts. Never throws.
[[nodiscard]] std::optional<Acknowledged> read_acknowledged(const std::string& directory) noexcept;
/// Where it cannot be written there is the one before, or none that counts. REQUIRES the store lock.
void write_acknowledged(const std::string& directory, const Acknowledged& acknowledged) noexcept;

/// CRC-32, begun with that of what came before.
[[nodiscard]] std::uint32_t crc_of(std::uint32_t before, std::string_view bytes);

}  // namespace fq::store::rocks
