#include "records/turns.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "records/keys.h"

namespace fq::records {

using store::Family;

std::string stream_of(const priority::Parameters& parameters) {
  std::string stream{priority::name_of(parameters.scheme)};
  if (parameters.scheme != priority::Scheme::multifactor) return stream;
  for (const priority::FactorName& each : priority::kFactorNames)
    stream += fmt::format(" {:.17g}", parameters.weights.*each.member);
  return stream;
}

Turns::Turns(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, key::kTurns);
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t blank = line.find(' ');
    const auto number = parse_u64(line.substr(0, std::min(blank, line.size())));
    if (blank == std::string_view::npos || !number) continue;  // at the worst a turn is lost
    numbers_[std::string{line.substr(blank + 1)}] = *number;
    last_ = std::max(last_, *number);
  }
}

std::uint64_t Turns::of(const std::string& stream) const {
  const auto found = numbers_.find(stream);
  return found == numbers_.end() ? 0 : found->second;
}

void Turns::take(const std::string& stream) {
  numbers_[stream] = ++last_;
}

void Turns::write(store::Transaction& transaction) const {
  std::string text;
  for (const auto& [stream, number] : numbers_) text += fmt::format("{} {}\n", number, stream);
  if (!text.empty()) text.pop_back();
  transaction.put(Family::instance, key::kTurns, text);
}

}  // namespace fq::records
