#include "records/tallies.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "records/keys.h"

namespace fq::records {

using store::Family;

namespace {

std::string encode_tally(const Tally& tally) {
  std::string text = fmt::format("{:.17g}", tally.jobs);
  constexpr auto kEnergy = static_cast<std::size_t>(priority::Resource::energy);
  for (std::size_t i = 0; i < priority::kResources; ++i) {
    if (i != kEnergy || tally.seconds[i] != 0) text += fmt::format(" {:.17g}", tally.seconds[i]);
  }
  return text;
}

Tally decode_tally(std::string_view text) {
  const auto parts = split(text, ' ');
  std::array<double, priority::kResources + 1> numbers{};
  bool sound = parts.size() == numbers.size() || parts.size() + 1 == numbers.size();
  for (std::size_t i = 0; sound && i < parts.size(); ++i) {
    const char* end = parts[i].data() + parts[i].size();
    const auto [at, code] = std::from_chars(parts[i].data(), end, numbers[i]);
    sound = code == std::errc{} && at == end;
  }
  if (!sound) throw error(Kind::unavailable, "what was used in an hour is damaged");
  Tally tally{numbers[0], {}};
  std::copy(numbers.begin() + 1, numbers.end(), tally.seconds.begin());
  return tally;
}

}  // namespace

std::uint32_t hour_of(double time) {
  return static_cast<std::uint32_t>(std::clamp(time / kTallySpan_s, 0.0, 4e9));
}

void add_tally(store::Transaction& transaction, const TallyKey& key, const Tally& more) {
  const std::string k = key::tally(key);
  const auto text = transaction.get(Family::instance, k);
  Tally sum = text ? decode_tally(*text) : Tally{};
  sum.jobs += more.jobs;
  for (std::size_t i = 0; i < priority::kResources; ++i) sum.seconds[i] += more.seconds[i];
  transaction.put(Family::instance, k, encode_tally(sum));
}

void spread(const priority::Amounts& held, double from, double to, TallyKey key,
            const std::function<void(const TallyKey&, const Tally&)>& visit) {
  for (key.hour = hour_of(from);; ++key.hour) {
    const double begin = std::max(from, key.hour * kTallySpan_s);
    const double end = std::min(to, (key.hour + 1.0) * kTallySpan_s);
    if (end <= begin) return;
    Tally tally;
    for (std::size_t i = 0; i < priority::kResources; ++i) tally.seconds[i] = held[i] * (end - begin);
    visit(key, tally);
  }
}

std::vector<std::string> damaged_tallies(const store::Reader& reader) {
  std::vector<std::string> damaged;
  for (const auto at = reader.scan_prefix(Family::instance, key::kTallyPrefix); at->valid(); at->next()) {
    try {
      static_cast<void>(key::tally_of(at->key()));
      static_cast<void>(decode_tally(at->value()));
    } catch (const Error&) {
      damaged.emplace_back(at->key());
    }
  }
  return damaged;
}

void for_each_tally(const store::Reader& reader, std::uint32_t from, std::uint32_t to,
                    const std::function<void(const TallyKey&, const Tally&)>& visit) {
  for (const auto at = reader.scan(Family::instance, key::tallies(from), key::tallies(to)); at->valid();
       at->next())
    visit(key::tally_of(at->key()), decode_tally(at->value()));
}

}  // namespace fq::records
