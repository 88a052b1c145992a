#include "cli/submit/bulk_inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/submit/bulk_options.h"

namespace fq::cli {
namespace {

struct Delimiter {
  std::string_view text;
  bool file, linked;
};
constexpr std::array kDelimiters{Delimiter{":::", false, false}, Delimiter{":::+", false, true},
                                 Delimiter{"::::", true, false}, Delimiter{"::::+", true, true}};

const Delimiter* find_delimiter(const std::string& operand) {
  const auto found = std::find_if(kDelimiters.begin(), kDelimiters.end(),
                                  [&](const Delimiter& delimiter) { return delimiter.text == operand; });
  return found == kDelimiters.end() ? nullptr : &*found;
}

/// The pieces between separators, empty ones left out.
std::vector<std::string> cut(std::string_view text, const Separator& separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end =
        separator.text.empty() ? text.find_first_of(kShellBlanks) : text.find(separator.text);
    const std::string_view piece = text.substr(0, end);
    if (!piece.empty()) pieces.emplace_back(piece);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + std::max<std::size_t>(1, separator.text.size()));
  }
  return pieces;
}

char escaped(std::string_view& rest, std::string_view whole) {
  constexpr std::array<std::pair<char, char>, 5> kEscapes{
      {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'0', '\0'}, {'\\', '\\'}}};
  for (const auto& [letter, character] : kEscapes) {
    if (!rest.starts_with(letter)) continue;
    rest.remove_prefix(1);
    return character;
  }
  unsigned byte = 0;
  if (rest.starts_with('x') && rest.size() > 2 &&
      std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16).ptr == rest.data() + 3) {
    rest.remove_prefix(3);
    return static_cast<char>(byte);
  }
  throw error(Kind::invalid, "{}: after a backslash comes n, t, r, 0, \\ or xHH", quote(whole));
}

}  // namespace

Separator parse_separator(std::string_view text) {
  if (text.empty()) throw Error{Kind::invalid, "the separator is empty", "none is white space"};
  std::string lower{text};
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (lower == "none") return {""};
  Separator separator{""};
  for (std::string_view rest = text; !rest.empty();) {
    const char c = rest.front();
    rest.remove_prefix(1);
    separator.text += c == '\\' ? escaped(rest, text) : c;
  }
  return separator;
}

BulkInputs::BulkInputs(const std::vector<std::string>& operands, const Separator& separator,
                       const ReadInput& read) {
  auto at = operands.begin();
  while (at != operands.end() && find_delimiter(*at) == nullptr) command_.push_back(*at++);
  while (at != operands.end()) {
    const std::string& name = *at;
    const Delimiter& delimiter = *find_delimiter(*at++);
    List list{{}, delimiter.linked, 1};
    while (at != operands.end() && find_delimiter(*at) == nullptr) list.inputs.push_back(*at++);
    if (delimiter.file) {
      if (list.inputs.size() != 1) {
        throw error(Kind::usage, "{} takes one file, got {}", quote(name), list.inputs.size());
      }
      const std::string path = list.inputs[0];
      list.inputs = cut(read(path), separator);
      if (list.inputs.empty()) throw error(Kind::usage, "no inputs in {}", quote(path));
    }
    if (list.inputs.empty()) throw error(Kind::usage, "no inputs follow {}", quote(name));
    if (delimiter.linked && lists_.empty()) {
      throw error(Kind::usage, "{} goes along with inputs before it, and there are none", quote(name));
    }
    lists_.push_back(std::move(list));
  }
  if (lists_.empty()) {
    lists_.push_back({cut(read("-"), separator), false, 1});
    if (lists_[0].inputs.empty()) throw Error{Kind::usage, "no inputs on standard input"};
  }

  size_ = 1;
  for (auto list = lists_.rbegin(); list != lists_.rend(); ++list) {
    if (list->linked) continue;
    list->repeat = size_;
    if (__builtin_mul_overflow(size_, list->inputs.size(), &size_) || size_ > kMaxCopies) {
      throw error(Kind::usage, "more than {} combinations of inputs", kMaxCopies);
    }
  }
}

InputRow BulkInputs::row(std::size_t index) const {
  InputRow row;
  row.seq = index;
  row.inputs.reserve(lists_.size());
  for (const List& list : lists_) {
    const std::size_t step = list.linked ? index : index / list.repeat;
    row.inputs.push_back(list.inputs[step % list.inputs.size()]);
  }
  return row;
}

}  // namespace fq::cli
