#include "records/charges.h"

#include "base/error.h"
#include "base/text.h"
#include "records/keys.h"

namespace fq::records {

using store::Family;

std::optional<Charge> find_charge(const store::Reader& reader, notation::JobId id) {
  const auto text = reader.get(Family::instance, key::charge(id));
  if (!text) return std::nullopt;
  const auto parts = split(*text, ' ');
  // Those of format 7 say nothing of the end.
  constexpr std::size_t kOldParts = priority::kHeldResources + 2, kParts = kOldParts + 1;
  Charge charge;
  bool sound = (parts.size() == kParts || parts.size() == kOldParts) && parse_u64(parts[0]).has_value();
  for (std::size_t i = 0; sound && i < priority::kHeldResources; ++i) {
    const auto amount = parse_u64(parts[i + 1]);
    sound = amount.has_value();
    charge.held[i] = static_cast<double>(amount.value_or(0));
  }
  std::optional<std::uint64_t> end = 0;
  if (parts.size() == kParts) end = parse_u64(parts[priority::kHeldResources + 1]);
  sound = sound && end.has_value();
  if (!sound) throw error(Kind::unavailable, "what job {} is charged for is damaged", id);
  charge.userid = static_cast<std::uint32_t>(*parse_u64(parts[0]));
  charge.end = static_cast<std::int64_t>(*end);
  charge.bank = parts.back();
  return charge;
}

void write_charge(store::Transaction& transaction, notation::JobId id, const Charge& charge) {
  std::string text = fmt::format("{}", charge.userid);
  for (std::size_t i = 0; i < priority::kHeldResources; ++i) text += fmt::format(" {:.0f}", charge.held[i]);
  transaction.put(Family::instance, key::charge(id), fmt::format("{} {} {}", text, charge.end, charge.bank));
}

void erase_charge(store::Transaction& transaction, notation::JobId id) {
  transaction.erase(Family::instance, key::charge(id));
}

}  // namespace fq::records
