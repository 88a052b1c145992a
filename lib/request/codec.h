// Requests and replies as text, for passing them to another process: JSON objects whose members are those of
// the structs (request/fields.h).
//
//   enumerations          their number
//   ids of jobs           an integer (RFC 19)
//   sets of ranks, hosts  text (RFC 22, 29)
//   sets of resources     an R (RFC 20); null: empty
//   bytes                 a string, or {"base64": "…"} where they are not UTF-8
//   numbers not finite    "inf", "-inf", "nan"
//   streams of bytes      their place among the streams of the reply, which follow it one after the other
//   one of several edits  [its number, it]
//
// A member that has its default may be left out, and mostly is (but those of an AccountTree). Reading takes
// members in any order; one that nobody knows is an error.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "request/byte_stream.h"
#include "request/table.h"

namespace fq::request {

/// Rows as texts: see Rows.
struct RowTexts {
  std::function<void(std::string_view head)> begin;
  std::function<bool(std::string_view row)> row;
  std::function<bool()> again;
};

/// Gives the stream at that place of a reply.
using OpenStream = std::function<ByteStream(std::size_t)>;

/// A kind of request without its types, for who passes requests on. What takes text throws Error{invalid}.
struct RequestKind {
  std::string_view name;
  Access access;
  Who who;
  bool has_rows;
  std::string (*encode_request)(const void* request);
  std::shared_ptr<void> (*decode_request)(std::string_view text);

  // Of one whose reply does not come in rows; else null.
  std::shared_ptr<void> (*make_reply)();
  /// Its streams are moved to `streams`.
  std::string (*encode_reply)(void* reply, std::vector<ByteStream>& streams);
  void (*decode_reply)(std::string_view text, void* reply, const OpenStream& open);

  // Of one whose reply does; else null.
  /// A Request::Stream that passes its rows on to `to`.
  std::shared_ptr<const void> (*make_rows)(const RowTexts& to);
  /// What passes rows on to `rows`, a Request::Stream that outlives it.
  RowTexts (*rows_to)(const void* rows);
};

/// REQUIRES kind < kKinds.
[[nodiscard]] const RequestKind& kind_at(std::size_t kind);
/// The place of the kind of that name; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> find_kind(std::string_view name);

/// An error with which a request is refused.
[[nodiscard]] std::string encode_error(const Error& error);
/// Throws it. Throws Error{invalid} for what is none.
[[noreturn]] void throw_error(std::string_view text);

}  // namespace fq::request
