// A transaction over what somebody reads, for work that only looks: nothing that it writes is kept, or seen
// by its own reads.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/transaction.h"

namespace fq::store {

class UnkeptTransaction final : public Transaction {
 public:
  /// `reader` outlives it.
  explicit UnkeptTransaction(const Reader& reader) : reader_(reader) {}

  [[nodiscard]] std::optional<std::string> get(Family family, std::string_view key) const override {
    return reader_.get(family, key);
  }
  [[nodiscard]] std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                             std::string_view to) const override {
    return reader_.scan(family, from, to);
  }
  [[nodiscard]] std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                   std::size_t most) const override {
    return reader_.last_keys(family, prefix, most);
  }
  void put(Family, std::string_view, std::string_view) override {}
  void erase(Family, std::string_view) override {}
  void append(Family, std::string_view, std::string_view) override {}
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  [[nodiscard]] bool empty() const override { return true; }
  void commit() override {}

 private:
  const Reader& reader_;
};

}  // namespace fq::store
