// A reader that gives up after so many keys, for who has others to serve.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/reader.h"

namespace fq::store {

/// No Error: whoever sets the bound catches it.
struct TooManyReads {};

class BoundedReader final : public Reader {
 public:
  /// `reader` outlives it. All reads of more than `most` keys together throw TooManyReads.
  BoundedReader(const Reader& reader, std::size_t most) : reader_(reader), left_(most) {}

  [[nodiscard]] std::optional<std::string> get(Family family, std::string_view key) const override {
    count();
    return reader_.get(family, key);
  }
  [[nodiscard]] std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                             std::string_view to) const override {
    count();
    return std::make_unique<Counted>(*this, reader_.scan(family, from, to));
  }
  [[nodiscard]] std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                   std::size_t most) const override {
    std::vector<std::string> keys = reader_.last_keys(family, prefix, most < left_ ? most : left_);
    count(keys.size() + 1);
    return keys;
  }

 private:
  class Counted final : public Cursor {
   public:
    Counted(const BoundedReader& by, std::unique_ptr<Cursor> cursor) : by_(by), cursor_(std::move(cursor)) {}
    [[nodiscard]] bool valid() const override { return cursor_->valid(); }
    [[nodiscard]] std::string_view key() const override { return cursor_->key(); }
    [[nodiscard]] std::string_view value() const override { return cursor_->value(); }
    void next() override {
      by_.count();
      cursor_->next();
    }
    void seek(std::string_view key) override {
      by_.count();
      cursor_->seek(key);
    }

   private:
    const BoundedReader& by_;
    std::unique_ptr<Cursor> cursor_;
  };

  void count(std::size_t keys = 1) const {
    if (keys > left_) throw TooManyReads{};
    left_ -= keys;
  }

  const Reader& reader_;
  mutable std::size_t left_;
};

}  // namespace fq::store
