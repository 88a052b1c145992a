#include "base/shell_words.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace fq {
namespace {

void take_quoted(std::string_view& rest, std::string& word) {
  const char mark = rest.front();
  rest.remove_prefix(1);
  for (;;) {
    if (rest.empty()) throw Error{Kind::invalid, "no closing quote"};
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == mark) return;
    const bool escapes = c == '\\' && mark == '"' && !rest.empty() &&
                         std::string_view{"$`\"\\"}.find(rest.front()) != std::string_view::npos;
    word += escapes ? rest.front() : c;
    if (escapes) rest.remove_prefix(1);
  }
}

}  // namespace

void take_shell_text(std::string_view& rest, std::string& word) {
  const char c = rest.front();
  if (c == '\'' || c == '"') return take_quoted(rest, word);
  if (c == '\\') {
    rest.remove_prefix(1);
    if (rest.empty()) throw Error{Kind::invalid, "nothing follows the backslash"};
  }
  word += rest.front();
  rest.remove_prefix(1);
}

std::vector<std::string> split_shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  std::string_view rest = text;
  try {
    while (!rest.empty()) {
      if (kShellBlanks.find(rest.front()) != std::string_view::npos) {
        rest.remove_prefix(1);
        if (word) words.push_back(*std::exchange(word, std::nullopt));
        continue;
      }
      if (!word) word.emplace();
      take_shell_text(rest, *word);
    }
  } catch (const Error& failure) {
    throw failure.within(quote(text));
  }
  if (word) words.push_back(*std::move(word));
  return words;
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./{}[]^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string{word};
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

}  // namespace fq
