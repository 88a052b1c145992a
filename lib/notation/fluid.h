// Job ids: FLUIDs and their text forms (RFC 19). A FLUID is 40 bits of
// milliseconds, 14 bits of generator and 10 bits of sequence number. Where an id is read every form is
// accepted; where one is printed for people it is f58.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace fq::notation {

struct JobId {
  std::uint64_t value = 0;
  friend auto operator<=>(const JobId&, const JobId&) = default;
};

/// `ƒuZZybuNNy`, or `fuZZybuNNy` where the environment asks for ASCII (see f58_wants_ascii). The environment
/// is looked at once in a process.
[[nodiscard]] std::string to_f58(JobId id);
/// `fuZZybuNNy`, wherever the output goes.
[[nodiscard]] std::string to_f58_ascii(JobId id);
/// `0017.e9fb.8df1.6c2e`
[[nodiscard]] std::string to_dothex(JobId id);
/// `0x17e9fb8df16c2e`
[[nodiscard]] std::string to_hex(JobId id);
/// `6731191091817518`
[[nodiscard]] std::string to_dec(JobId id);
/// The job's directory in the key-value store (RFC 16): `job.0017.e9fb.8df1.6c2e`.
[[nodiscard]] std::string to_kvs(JobId id);
/// One to seven emoji.
[[nodiscard]] std::string to_emoji(JobId id);

/// The id that `text` gives in any of the forms above, or in words (notation/fluid_words) where their list is
/// installed; white space around it is ignored. Throws Error{invalid}.
[[nodiscard]] JobId parse_job_id(std::string_view text);

enum class IdForm { dec, hex, dothex, f58, f58plain, kvs, emoji, words };

[[nodiscard]] std::string format_id(JobId id, IdForm form);
/// The form of that name, spelled as the enumerator. Throws Error{invalid} with a hint.
[[nodiscard]] IdForm parse_id_form(std::string_view name);

/// The fields of a FLUID: timestamp_ms < 2^40, generator < 2^14, sequence < 2^10.
struct FluidParts {
  std::uint64_t timestamp_ms = 0;
  std::uint32_t generator = 0;
  std::uint32_t sequence = 0;
  friend bool operator==(const FluidParts&, const FluidParts&) = default;
};

/// Throws Error{invalid} when a field does not fit its bits.
[[nodiscard]] JobId compose(const FluidParts& parts);
[[nodiscard]] FluidParts decompose(JobId id);

/// True if f58 is to begin with `f`: FLUX_F58_FORCE_ASCII is set, or the locale that the environment names
/// has another encoding than UTF-8. Arguments are the values of FLUX_F58_FORCE_ASCII, LC_ALL, LC_CTYPE and
/// LANG, null where unset. A locale that nobody names is taken as UTF-8.
[[nodiscard]] bool f58_wants_ascii(const char* force_ascii, const char* lc_all, const char* lc_ctype,
                                   const char* lang);

/// f58_wants_ascii for the environment of this process, looked at once.
[[nodiscard]] bool prints_ascii();

}  // namespace fq::notation

template <>
struct std::hash<fq::notation::JobId> {
  std::size_t operator()(fq::notation::JobId id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};

/// Prints an id as to_f58; takes the options of a string (`{:>12}`).
template <>
struct fmt::formatter<fq::notation::JobId> : fmt::formatter<fmt::string_view> {
  template <typename Context>
  auto format(fq::notation::JobId id, Context& context) const {
    const std::string text = fq::notation::to_f58(id);
    return fmt::formatter<fmt::string_view>::format(fmt::string_view{text.data(), text.size()}, context);
  }
};
