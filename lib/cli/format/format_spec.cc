#include "cli/format/format_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/text_width.h"
#include "notation/fluid.h"
#include "notation/fsd.h"

namespace fq::cli {
namespace {

constexpr std::string_view kConversions = "dDFHPs";
constexpr std::string_view kIsoTime = "%Y-%m-%dT%H:%M:%S";
constexpr double kMaxSeconds = 1e15;  ///< beyond this a time or duration has no calendar form

std::string local_time(double seconds, const std::string& format) {
  const auto whole = static_cast<std::time_t>(std::floor(seconds));
  std::tm fields{};
  if (::localtime_r(&whole, &fields) == nullptr) return {};
  // A trailing letter tells an empty result from one that does not fit.
  const std::string marked = format + '.';
  std::string text(128, '\0');
  for (;;) {
    const std::size_t length = std::strftime(text.data(), text.size(), marked.c_str(), &fields);
    if (length > 0) {
      text.resize(length - 1);
      return text;
    }
    if (text.size() > FormatSpec::kMaxWidth) return {};
    text.resize(text.size() * 2);
  }
}

std::string clock_duration(double seconds) {
  double rounded = std::nearbyint(std::fabs(seconds));
  if (seconds > 0 && seconds < 1) rounded = 1;  // a duration that is not zero never looks like zero
  const auto total = static_cast<std::int64_t>(rounded);
  const std::int64_t days = total / 86400;
  std::string text = seconds < 0 && total > 0 ? "-" : "";
  if (days > 0) text += fmt::format("{} day{}, ", days, days == 1 ? "" : "s");
  return text + fmt::format("{}:{:02}:{:02}", total / 3600 % 24, total / 60 % 60, total % 60);
}

std::string percentage(double ratio) {
  const double percent = ratio * 100;
  return percent > 0 && percent < 1 ? fmt::format("{:.2f}%", percent) : fmt::format("{:.3g}%", percent);
}

/// Python's repr: the shortest text that reads back as the same number, with a point or an exponent.
std::string plain_number(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // `n` of inf and nan
  return text;
}

std::string convert(double number, char conversion, const FormatSpec& spec) {
  if (std::isnan(number)) return {};
  const bool has_calendar = std::fabs(number) < kMaxSeconds;
  switch (conversion) {
    case 'd':
    case 'D':
      if (number == 0 || !has_calendar) return {};
      return local_time(number, spec.time.empty() ? std::string{kIsoTime} : spec.time);
    case 'F':
      return number < 0 ? "0s" : notation::format_fsd(number);
    case 'H':
      return has_calendar ? clock_duration(number) : plain_number(number);
    case 'P':
      return percentage(number);
    default:
      return plain_number(number);
  }
}

/// What `h` shows as a hyphen.
bool is_nothing(std::string_view text) {
  static const std::string kLocalEpoch = local_time(0, std::string{kIsoTime});
  return text.empty() || text == "0s" || text == "0.0" || text == "0:00:00" ||
         text == "1970-01-01T00:00:00" || text == kLocalEpoch;
}

void append_fill(std::string& out, const FormatSpec& spec, std::size_t count) {
  if (spec.fill.size() == 1) {
    out.append(count, spec.fill[0]);
  } else {
    for (; count > 0; --count) out += spec.fill;
  }
}

/// Appends text that takes `columns`, aligned in the width; without alignment, or behind a sign that text
/// does not have, it stands as `otherwise` says.
void append_aligned(std::string& out, std::string_view text, std::size_t columns, const FormatSpec& spec,
                    Align otherwise) {
  const std::size_t room = spec.width > columns ? spec.width - columns : 0;
  const bool open = spec.align == Align::none || spec.align == Align::after_sign;
  const Align align = open ? otherwise : spec.align;
  const std::size_t before = align == Align::left ? 0 : align == Align::center ? room / 2 : room;
  append_fill(out, spec, before);
  out += text;
  append_fill(out, spec, room - before);
}

/// The index that a name of an array's job ends with, and the sign before it: `-17` of `frame-17`.
std::string_view index_of(std::string_view text) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  if (digits < 2 || digits == text.size() || text.find_first_of(" ,[") != std::string_view::npos) return {};
  constexpr std::string_view kSigns = "-_.";
  return kSigns.find(text[digits - 1]) == std::string_view::npos ? std::string_view{}
                                                                 : text.substr(digits - 1);
}

/// The first `columns` of a text that is wider, marked where something is left out: at the end, or before an
/// index, by which jobs differ.
std::string cut_with_mark(std::string_view text, std::size_t columns) {
  const std::string_view index = index_of(text);
  if (index.empty() || index.size() + 2 > columns) return std::string{cut_to_width(text, columns - 1)} + '+';
  static const std::string_view kMark = notation::prints_ascii() ? "+" : "…";
  return fmt::format("{}{}{}", cut_to_width(text, columns - index.size() - 1), kMark, index);
}

void append_text(std::string& out, std::string_view text, const FormatSpec& spec) {
  if (spec.hyphen && is_nothing(text)) text = "-";
  std::string scratch;
  text = masked(text, scratch);
  std::size_t columns = display_width(text);
  std::string cut;
  if (spec.precision && columns > *spec.precision) {
    std::string_view start = cut_to_width(text, *spec.precision);
    if (spec.mark_cut && *spec.precision > 0) {
      cut = cut_with_mark(text, *spec.precision);
      start = cut;
    }
    text = start;
    columns = display_width(text);
  }
  append_aligned(out, text, columns, spec, Align::left);
}

void group_digits(std::string& digits, char separator, std::size_t size) {
  const std::size_t whole =
      std::min({digits.size(), digits.find('.'), digits.find('e'), digits.find('E'), digits.find('%')});
  for (std::size_t at = whole; at > size; at -= size) digits.insert(at - size, 1, separator);
}

std::string integer_digits(std::uint64_t number, const FormatSpec& spec) {
  const int base = spec.type == 'b'                       ? 2
                   : spec.type == 'o'                     ? 8
                   : spec.type == 'x' || spec.type == 'X' ? 16
                                                          : 10;
  std::array<char, 64> buffer;
  char* end = std::to_chars(buffer.begin(), buffer.end(), number, base).ptr;
  std::string digits(buffer.data(), end);
  if (spec.type == 'X') {
    for (char& digit : digits) digit = digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
  }
  if (spec.grouping != 0) group_digits(digits, spec.grouping, base == 10 ? 3 : 4);
  if (spec.alternate && base != 10) digits.insert(0, std::string{'0', spec.type});
  return digits;
}

std::string real_digits(double number, const FormatSpec& spec) {
  const int precision = static_cast<int>(spec.precision.value_or(6));
  std::string digits;
  switch (spec.type) {
    case 'e':
      digits = fmt::format("{:.{}e}", number, precision);
      break;
    case 'E':
      digits = fmt::format("{:.{}E}", number, precision);
      break;
    case 'f':
    case 'F':
      digits = fmt::format("{:.{}f}", number, precision);
      break;
    case 'd':
      digits = fmt::format("{:.0f}", number);
      break;
    case '%':
      digits = fmt::format("{:.{}f}%", number * 100, precision);
      break;
    case 'g':
    case 'n':
      digits = fmt::format("{:.{}g}", number, std::max(precision, 1));
      break;
    case 'G':
      digits = fmt::format("{:.{}G}", number, std::max(precision, 1));
      break;
    default:
      if (!spec.precision) {
        digits = plain_number(number);
      } else {
        digits = fmt::format("{:.{}g}", number, std::max(precision, 1));
        if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
      }
  }
  if (spec.grouping != 0 && std::isfinite(number)) group_digits(digits, spec.grouping, 3);
  return digits;
}

/// Appends sign and digits in the width, zeros or padding between them where the spec wants that.
void append_number(std::string& out, bool negative, std::string digits, const FormatSpec& spec) {
  const std::string_view sign = negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
  const std::size_t columns = sign.size() + digits.size();
  const bool zeros = spec.zero_pad && spec.align == Align::none;
  if ((zeros || spec.align == Align::after_sign) && columns < spec.width) {
    out += sign;
    if (zeros || (spec.zero_pad && spec.fill == " ")) {
      out.append(spec.width - columns, '0');
    } else {
      append_fill(out, spec, spec.width - columns);
    }
    out += digits;
    return;
  }
  digits.insert(0, sign);
  append_aligned(out, digits, columns, spec, Align::right);
}

void append_value(std::string& out, std::int64_t number, const FormatSpec& spec) {
  if (spec.type != 0 && std::string_view{"eEfFgG%"}.find(spec.type) != std::string_view::npos) {
    return append_number(out, number < 0, real_digits(std::fabs(static_cast<double>(number)), spec), spec);
  }
  const auto magnitude =
      number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  if (spec.hyphen || spec.type == 's' || spec.precision) {
    return append_text(out, fmt::format_int(number).c_str(), spec);
  }
  append_number(out, number < 0, integer_digits(magnitude, spec), spec);
}

void append_value(std::string& out, double number, const FormatSpec& spec) {
  const bool as_text =
      spec.type == 's' || (spec.hyphen && (spec.type == 0 || is_nothing(plain_number(number))));
  if (as_text) return append_text(out, plain_number(number), spec);
  append_number(out, std::signbit(number), real_digits(std::fabs(number), spec), spec);
}

}  // namespace

bool is_conversion(char letter) {
  return kConversions.find(letter) != std::string_view::npos;
}

void append_formatted(std::string& out, const Value& value, char conversion, const FormatSpec& spec) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return append_text(out, *text, spec);
  if (std::holds_alternative<std::monostate>(value)) return append_text(out, {}, spec);
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (conversion == 's' && integer != nullptr)
    return append_text(out, fmt::format_int(*integer).c_str(), spec);
  if (conversion != 0) {
    const double number = integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
    return append_text(out, convert(number, conversion, spec), spec);
  }
  if (integer != nullptr) return append_value(out, *integer, spec);
  append_value(out, std::get<double>(value), spec);
}

std::size_t unpadded_width(const Value& value, char conversion, const FormatSpec& spec) {
  FormatSpec bare;
  bare.time = spec.time;
  std::string text;
  append_formatted(text, value, conversion, bare);
  return is_nothing(text) ? 0 : display_width(text);
}

void append_heading(std::string& out, std::string_view heading, const FormatSpec& spec) {
  FormatSpec plain;
  plain.align = spec.align;
  plain.width = spec.width;
  append_text(out, heading, plain);
}

namespace {

bool is_align(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

/// Takes `c` off the start of `text` if it is there.
bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes one of `choices` off the start of `text`, or returns 0.
char take_any(std::string_view& text, std::string_view choices) {
  if (text.empty() || choices.find(text[0]) == std::string_view::npos) return 0;
  const char c = text[0];
  text.remove_prefix(1);
  return c;
}

std::optional<std::size_t> take_number(std::string_view& text, std::string_view what) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return std::nullopt;
  const auto number = parse_u64(text.substr(0, digits));
  if (!number || *number > FormatSpec::kMaxWidth) {
    throw error(Kind::usage, "{} {} is more than {}", what, text.substr(0, digits), FormatSpec::kMaxWidth);
  }
  text.remove_prefix(digits);
  return static_cast<std::size_t>(*number);
}

/// Bytes of the code point at the start of `text`, which is valid UTF-8.
std::size_t first_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

}  // namespace

FormatSpec parse_format_spec(std::string_view text, char conversion) {
  FormatSpec spec;
  if (conversion == 'd') {
    const std::size_t colons = text.find("::");
    spec.time = text.substr(0, colons);
    text = colons == std::string_view::npos ? std::string_view{} : text.substr(colons + 2);
  }
  const std::string_view whole = text;
  const std::size_t fill = text.empty() ? 0 : first_length(text);
  if (fill < text.size() && is_align(text[fill])) {
    spec.fill = text.substr(0, fill);
    spec.align = static_cast<Align>(text[fill]);
    text.remove_prefix(fill + 1);
    std::string scratch;
    if (masked(spec.fill, scratch) != spec.fill || display_width(spec.fill) != 1) {
      throw error(Kind::usage, "fill character {} does not take one column", quote(spec.fill));
    }
  } else if (!text.empty() && is_align(text[0])) {
    spec.align = static_cast<Align>(text[0]);
    text.remove_prefix(1);
  }
  if (const char sign = take_any(text, "+- ")) spec.sign = sign;
  take(text, 'z');
  spec.alternate = take(text, '#');
  spec.zero_pad = take(text, '0');
  spec.width = take_number(text, "width").value_or(0);
  spec.grouping = take_any(text, ",_");
  if (take(text, '.')) {
    spec.precision = take_number(text, "precision");
    if (!spec.precision) throw error(Kind::usage, "a number is missing after '.' in {}", quote(whole));
  }
  spec.type = take_any(text, "bcdeEfFgGnosxX%");
  spec.hyphen = take(text, 'h');
  spec.mark_cut = take(text, '+');
  if (!text.empty()) {
    throw error(Kind::usage,
                "{} is not understood in {}: expected [[FILL]ALIGN][WIDTH][.PRECISION][TYPE][h][+]",
                quote(text), quote(whole));
  }
  return spec;
}

}  // namespace fq::cli
