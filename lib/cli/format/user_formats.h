// Named formats of a site and of a user's own, as Flux's commands have them:
//
//   [formats.mine]
//   description = "what it shows"        # may be left out
//   format = "{id.f58:>12} {name}"
//
// They stand in `fq/LISTING.toml`, or as YAML or JSON in `fq/LISTING.yaml` or `fq/LISTING.json`, in the
// directories of $XDG_CONFIG_DIRS (else /etc/xdg), of which the first counts most, and above these in
// $XDG_CONFIG_HOME (else ~/.config).

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/format/format.h"

namespace fq::cli {

struct UserFormat {
  std::string name, description, format;
  std::string path = {};  ///< of the file that defines it
};

/// The formats that a text in TOML or JSON defines, or in YAML where `path` ends so; `path` names it in
/// errors. Throws Error{invalid} `PATH:3: expected …` for what is none of them, for other tables and keys,
/// and for names of `built_in` formats.
[[nodiscard]] std::vector<UserFormat> parse_user_formats(const std::string& text, const std::string& path,
                                                         std::span<const NamedFormat> built_in);

/// The built-in formats of a listing and, where they are needed, those of site and user behind them.
class FormatNames {
 public:
  /// Reads files only where `wanted` is `help`, `get-config=NAME`, or neither a format nor the name of a
  /// built-in one. A missing file is none. Throws as parse_user_formats does, and when a file cannot be read.
  FormatNames(std::string_view listing, std::string_view wanted, std::span<const NamedFormat> built_in);
  FormatNames(const FormatNames&) = delete;
  FormatNames& operator=(const FormatNames&) = delete;

  /// Valid while this is.
  [[nodiscard]] std::span<const NamedFormat> all() const { return all_; }
  /// What `wanted` asks to be told of the formats themselves: for `help` all of them and the fields, for
  /// `get-config=NAME` the TOML table of that one. Nothing where it asks for a listing. Throws Error{usage}
  /// for a name that there is not.
  [[nodiscard]] std::optional<std::string> told(std::string_view wanted,
                                                std::span<const FieldName> fields) const;
  /// The format that the value of -o stands for, parsed. Throws Error{usage}, which says the file where the
  /// format is one of the user's own.
  template <typename Row>
  [[nodiscard]] Format<Row> parse(std::string_view wanted, std::span<const Field<Row>> fields) const {
    const std::string_view text = find_format(wanted, all_);
    try {
      return Format<Row>(text, fields);
    } catch (const Error& failure) {
      const std::string where = place(wanted);
      if (where.empty()) throw;
      throw failure.within(where);
    }
  }

 private:
  /// `PATH: formats.NAME`; empty for what is no format of the user's own.
  [[nodiscard]] std::string place(std::string_view name) const;

  std::vector<UserFormat> own_;
  std::vector<NamedFormat> all_;
};

}  // namespace fq::cli
