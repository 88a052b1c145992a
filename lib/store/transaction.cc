#include "store/transaction.h"

#include "base/text.h"

namespace fq::store {

std::uint64_t transaction_number(const Reader& reader) {
  const auto text = reader.get(Family::instance, kTransactionKey);
  return text ? parse_u64(*text).value_or(0) : 0;
}

}  // namespace fq::store
