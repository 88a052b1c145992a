#include "store/memory/database.h"

#include <utility>

#include <fmt/core.h>

namespace fq::store::memory {

// Where keys came or went meanwhile it finds its place anew, by the key that it stood at.
class Transaction::Range final : public Cursor {
 public:
  Range(const Transaction& transaction, const Table& table, std::string_view from, std::string_view to)
      : transaction_(transaction), table_(table), to_(to) {
    seek(from);
  }
  [[nodiscard]] bool valid() const override { return valid_; }
  [[nodiscard]] std::string_view key() const override { return key_; }
  [[nodiscard]] std::string_view value() const override { return at_->second; }
  void next() override {
    stand_at(changes_ == transaction_.changes_ ? std::next(at_) : table_.upper_bound(key_));
  }
  void seek(std::string_view key) override { stand_at(table_.lower_bound(key)); }

 private:
  void stand_at(Table::const_iterator at) {
    at_ = at;
    changes_ = transaction_.changes_;
    valid_ = at_ != table_.end() && (to_.empty() || at_->first < to_);
    if (valid_) key_ = at_->first;
  }

  const Transaction& transaction_;
  const Table& table_;
  std::string to_, key_;
  Table::const_iterator at_;
  std::uint64_t changes_ = 0;
  bool valid_ = false;
};

Transaction::~Transaction() {
  for (auto each = undo_.rbegin(); each != undo_.rend(); ++each) {
    switch (each->kind) {
      case Undo::Kind::came:
        each->table->erase(each->table->find(each->entry->first));
        break;
      case Undo::Kind::replaced:
        each->entry->second = std::move(each->value);
        break;
      case Undo::Kind::grew:
        each->entry->second.resize(each->size);
        break;
      case Undo::Kind::went:
        each->table->insert(std::move(each->erased));
        break;
    }
  }
}

Table& Transaction::table(Family family) const {
  return database_.tables_.at(static_cast<std::size_t>(family));
}

void Transaction::note(Undo undo, std::size_t bytes) {
  undo_.push_back(std::move(undo));
  bytes_ += bytes;
}

std::optional<std::string> Transaction::get(Family family, std::string_view key) const {
  const Table& keys = table(family);
  const auto found = keys.find(key);
  return found == keys.end() ? std::nullopt : std::optional{found->second};
}

std::unique_ptr<Cursor> Transaction::scan(Family family, std::string_view from, std::string_view to) const {
  return std::make_unique<Range>(*this, table(family), from, to);
}

std::vector<std::string> Transaction::last_keys(Family family, std::string_view prefix,
                                                std::size_t most) const {
  const Table& keys = table(family);
  const std::string end = prefix_end(prefix);
  auto at = end.empty() ? keys.end() : keys.lower_bound(end);
  std::vector<std::string> found;
  while (found.size() < most && at != keys.begin() && (--at)->first.starts_with(prefix))
    found.push_back(at->first);
  return found;
}

void Transaction::put(Family family, std::string_view key, std::string_view value) {
  Table& keys = table(family);
  const std::size_t bytes = key.size() + value.size();
  auto at = keys.lower_bound(key);
  if (at != keys.end() && at->first == key) {
    std::string before = std::exchange(at->second, std::string{value});
    return note({Undo::Kind::replaced, &keys, &*at, std::move(before)}, bytes);
  }
  at = keys.emplace_hint(at, key, value);
  ++changes_;
  note({Undo::Kind::came, &keys, &*at}, bytes);
}

void Transaction::erase(Family family, std::string_view key) {
  Table& keys = table(family);
  const auto at = keys.find(key);
  if (at == keys.end()) return;
  ++changes_;
  note({Undo::Kind::went, &keys, nullptr, {}, 0, keys.extract(at)}, key.size());
}

void Transaction::append(Family family, std::string_view key, std::string_view bytes) {
  Table& keys = table(family);
  const auto at = keys.find(key);
  if (at == keys.end()) return put(family, key, bytes);
  note({Undo::Kind::grew, &keys, &*at, {}, at->second.size()}, key.size() + bytes.size());
  at->second.append(bytes);
}

void Transaction::commit() {
  ++database_.transaction_number_;
  put(Family::instance, kTransactionKey, fmt::format("{}", database_.transaction_number_));
  undo_.clear();
  bytes_ = 0;
  ++changes_;
}

std::unique_ptr<store::Transaction> Database::begin() {
  return std::unique_ptr<store::Transaction>(new Transaction(*this));
}

}  // namespace fq::store::memory
