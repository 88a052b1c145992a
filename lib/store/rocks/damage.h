// Whether the files of a database are what was written to them: what cannot be seen by the engine, which
// takes a manifest or a log that was cut for an older one.
//
// CURRENT, the manifest and the number of the last transaction are compared with what was acknowledged
// (store/rocks/acknowledged.h). The engine finds for itself what is wrong within a table.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/reader.h"
#include "store/rocks/acknowledged.h"

namespace fq::store::rocks {

/// A file that is not what was written to it.
struct Damage {
  std::string file;  ///< as it is named from the store: `db/journal`
  std::string what;  ///< `it is missing`
};

/// Error{unavailable} `the store 'DIR' is damaged: db/FILE: what; …`, with the way out.
class DamageError : public Error {
 public:
  /// `directory` is that of the database.
  DamageError(const std::string& directory, std::vector<Damage> damages);
  [[nodiscard]] const std::vector<Damage>& damages() const noexcept { return damages_; }

 private:
  std::vector<Damage> damages_;
};

/// Throws what is to be said of a `directory` without CURRENT: Error{not_found} where nothing is there,
/// DamageError where the rest of a database is.
[[noreturn]] void refuse_without_current(const std::string& directory);
/// Whether a database is there, be it damaged.
[[nodiscard]] bool database_exists(const std::string& directory);

/// The manifest that CURRENT names, as far as it goes. Throws DamageError where CURRENT or the manifest is
/// not what was acknowledged; as refuse_without_current. A reader's answer, while another writes, is to
/// be doubted when it throws.
ManifestExtent check_manifest(const std::string& directory, const std::optional<Acknowledged>& known);

/// Whether nothing in the logs, of a database that this process opened, gives reason to look for a
/// transaction that is missing.
[[nodiscard]] bool logs_as_expected(const std::string& directory, const Acknowledged& known);
/// Throws DamageError where the last transaction that is there, `number`, came before one that was
/// acknowledged: something in the logs is missing.
void check_transaction(const std::string& directory, const std::optional<Acknowledged>& known,
                       std::uint64_t number);

/// Of one in which frames are found behind one that is none (store/rocks/journal.h).
[[nodiscard]] DamageError journal_error(const std::string& directory);

/// All that is wrong with the files of the store's database; empty for a sound one. Reads all of them.
/// REQUIRES the store lock, shared or not.
[[nodiscard]] std::vector<Damage> find_damage(const std::string& store_directory);

}  // namespace fq::store::rocks
