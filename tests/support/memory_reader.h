// A store's reader without a store.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/transaction.h"

namespace fq::test {

/// A few keys in memory that count how often they are asked for.
class MemoryReader final : public store::Reader {
 public:
  explicit MemoryReader(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  [[nodiscard]] std::optional<std::string> get(store::Family, std::string_view key) const override {
    ++gets;
    const auto found = values_.find(std::string{key});
    return found == values_.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] std::unique_ptr<store::Cursor> scan(store::Family, std::string_view from,
                                                    std::string_view to) const override {
    ++scans;
    return std::make_unique<Range>(values_.lower_bound(std::string{from}),
                                   values_.lower_bound(std::string{to}));
  }
  [[nodiscard]] std::vector<std::string> last_keys(store::Family, std::string_view,
                                                   std::size_t) const override {
    return {};
  }

  mutable int gets = 0, scans = 0;

 private:
  using At = std::map<std::string, std::string>::const_iterator;
  struct Range final : store::Cursor {
    Range(At first, At last) : at(first), end(last) {}
    [[nodiscard]] bool valid() const override { return at != end; }
    [[nodiscard]] std::string_view key() const override { return at->first; }
    [[nodiscard]] std::string_view value() const override { return at->second; }
    void next() override { ++at; }
    void seek(std::string_view) override {}
    At at, end;
  };
  std::map<std::string, std::string> values_;
};

}  // namespace fq::test
