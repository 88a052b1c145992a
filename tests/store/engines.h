// The engines of a store behind their interface: what is true of one must be true of each.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/memory/database.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"
#include "support/temp_directory.h"

namespace fq::test {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<store::Transaction> begin() = 0;
  [[nodiscard]] virtual std::uint64_t transaction_number() const = 0;
};

class RocksEngine final : public Engine {
 public:
  std::unique_ptr<store::Transaction> begin() override {
    return std::make_unique<store::rocks::Transaction>(database_.begin());
  }
  [[nodiscard]] std::uint64_t transaction_number() const override { return database_.transaction_number(); }

 private:
  TempDirectory directory_;
  store::rocks::Database database_ =
      store::rocks::Database::open(store::database_path(directory_.path()), /*create=*/true);
};

class MemoryEngine final : public Engine {
 public:
  std::unique_ptr<store::Transaction> begin() override { return database_.begin(); }
  [[nodiscard]] std::uint64_t transaction_number() const override { return database_.transaction_number(); }

 private:
  store::memory::Database database_;
};

}  // namespace fq::test
