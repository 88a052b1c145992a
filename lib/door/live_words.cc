#include "door/live_words.h"

#include "base/error.h"
#include "base/text.h"

namespace fq::door {

LiveWords split_live(std::string_view text) {
  LiveWords live;
  const std::size_t end = std::min(text.find('\n'), text.size());
  if (end > kMostOfWords)
    throw error(Kind::invalid, "an operation in {} bytes is too long: at most {}", end, kMostOfWords);
  for (const std::string_view word : split(text.substr(0, end), ' ')) live.words.emplace_back(word);
  if (live.words.empty() || live.words.front().empty()) throw Error{Kind::invalid, "expected an operation"};
  if (end < text.size()) live.bytes = text.substr(end + 1);
  return live;
}

const std::string& word_at(const LiveWords& live, std::size_t index) {
  if (index >= live.words.size())
    throw error(Kind::invalid, "{}: {} words are too few", quote(live.words.front()), live.words.size());
  return live.words[index];
}

std::uint64_t number_at(const LiveWords& live, std::size_t index) {
  const auto number = parse_u64(word_at(live, index));
  if (!number)
    throw error(Kind::invalid, "{}: expected a number, got {}", quote(live.words.front()),
                quote(live.words[index]));
  return *number;
}

}  // namespace fq::door
