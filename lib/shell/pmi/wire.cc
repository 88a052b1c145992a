#include "shell/pmi/wire.h"

#include <charconv>

namespace fq::shell::pmi {
namespace {

constexpr std::string_view kBlanks = " \t\r";

}  // namespace

std::optional<Message> Message::decode(std::string_view line) {
  Message message;
  for (;;) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) break;
    line.remove_prefix(start);
    const std::size_t equals = line.find_first_of("= \t\r");
    if (equals == std::string_view::npos || equals == 0 || line[equals] != '=') return std::nullopt;
    const std::string_view key = line.substr(0, equals);
    line.remove_prefix(equals + 1);
    const bool to_end = key == "value" || key == "msg";
    const std::string_view value =
        line.substr(0, to_end ? std::string_view::npos : line.find_first_of(kBlanks));
    line.remove_prefix(value.size());
    message.words_.emplace_back(key, value);
  }
  if (message.words_.empty()) return std::nullopt;
  return message;
}

std::optional<std::string_view> Message::find(std::string_view key) const {
  for (const auto& [name, value] : words_) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::optional<int> Message::find_number(std::string_view key) const {
  const auto text = find(key);
  if (!text) return std::nullopt;
  int number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, failure] = std::from_chars(text->data(), end, number);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<std::string> Lines::next() {
  const std::size_t end = held_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = held_.substr(0, end);
  held_.erase(0, end + 1);
  return line;
}

}  // namespace fq::shell::pmi
