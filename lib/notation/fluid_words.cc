#include "notation/fluid_words.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace fq::notation {
namespace {

constexpr std::size_t kBase = 1626;  // whose third power is the first above 2^32
constexpr std::size_t kWordsOfHalf = 3;

// FQ_WORDS, or the first `fq/words` of the directories for data.
std::string path_of_list() {
  if (const char* named = std::getenv("FQ_WORDS"); named != nullptr && *named != '\0') return named;
  const char* set = std::getenv("XDG_DATA_DIRS");
  const std::string directories = set != nullptr && *set != '\0' ? set : "/usr/local/share:/usr/share";
  for (const std::string_view directory : split(directories, ':')) {
    std::string path = std::string{directory} + "/fq/words";
    if (std::ifstream{path}) return path;
  }
  throw Error{
      Kind::unavailable,
      "the words of job ids are not installed here: expected mnemonicode's list in /usr/share/fq/words",
      "FQ_WORDS names another file; the other forms need none"};
}

std::vector<std::string> read_list() {
  const std::string path = path_of_list();
  std::ifstream in{path};
  if (!in) throw error(Kind::unavailable, "cannot read the words of job ids in {}", quote(path));
  std::vector<std::string> list{std::istream_iterator<std::string>{in}, {}};
  const auto is_word = [](const std::string& word) {
    return std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  };
  if (list.size() < kBase || !std::ranges::all_of(list, is_word))
    throw error(Kind::unavailable, "{} is no list of words for job ids: expected {} words of a to z at least",
                quote(path), kBase);
  list.resize(kBase);
  return list;
}

const std::vector<std::string>& words() {
  static const std::vector<std::string> list = read_list();
  return list;
}

std::string half_to_words(std::uint32_t half) {
  return words()[half % kBase] + "-" + words()[half / kBase % kBase] + "-" + words()[half / kBase / kBase];
}

std::uint32_t half_of(const std::string_view* first, std::string_view text) {
  std::uint64_t half = 0;
  for (std::size_t i = kWordsOfHalf; i-- > 0;) {
    const auto at = std::ranges::find(words(), first[i]);
    if (at == words().end())
      throw error(Kind::invalid, "invalid job id {}: {} is none of its words", quote_cut(text),
                  quote_cut(first[i]));
    half = half * kBase + static_cast<std::uint64_t>(at - words().begin());
  }
  if (half > UINT32_MAX)
    throw error(Kind::invalid, "invalid job id {}: {} stands for no number", quote_cut(text),
                quote_cut(fmt::format("{}-{}-{}", first[0], first[1], first[2])));
  return static_cast<std::uint32_t>(half);
}

}  // namespace

std::string to_words(std::uint64_t value) {
  return half_to_words(static_cast<std::uint32_t>(value)) + "--" +
         half_to_words(static_cast<std::uint32_t>(value >> 32U));
}

std::optional<std::uint64_t> parse_words(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(text, '-')) {
    if (!part.empty()) parts.push_back(part);
  }
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (parts.size() != 2 * kWordsOfHalf ||
      !std::ranges::all_of(text, [&](char c) { return c == '-' || is_letter(c); }))
    return std::nullopt;
  try {
    words();
  } catch (const Error&) {
    return std::nullopt;
  }
  const std::uint64_t low = half_of(parts.data(), text), high = half_of(&parts[kWordsOfHalf], text);
  return high << 32U | low;
}

}  // namespace fq::notation
