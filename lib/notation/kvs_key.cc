#include "notation/kvs_key.h"

#include <algorithm>

namespace fq::notation {
namespace {

bool is_word_character(char c) {
  constexpr std::string_view kMarks = "_-+@:,=";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

}  // namespace

bool is_kvs_key(std::string_view text) {
  if (text.empty() || text.size() > kMaxKvsKey || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '.' || is_word_character(c); });
}

bool is_in(std::string_view directory, std::string_view key) {
  return key.starts_with(directory) && (key.size() == directory.size() || key[directory.size()] == '.');
}

}  // namespace fq::notation
