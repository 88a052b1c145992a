// Reading a store that is damaged, on request. Nothing else may be done with one before it is repaired.

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "manager/engine/session.h"
#include "store/rocks/damage.h"

namespace fq::manager {

/// Of a command that shows what can be read where its store is damaged, and leaves undone what the waker
/// would do.
class DamagedStore {
 public:
  /// What is wrong with the store, in words, and what could not be read of it, a line each.
  using Notice = std::function<void(const std::string& damage, const std::vector<std::string>& lost)>;

  /// `notice` is called once, before the first answer.
  explicit DamagedStore(Notice notice) : notice_(std::move(notice)) {}

  /// Runs `read` over what can be read. What is not there may be in the rest: Error{not_found} says so.
  void query(const Session& session, const store::rocks::DamageError& damage,
             const std::function<void(const store::Reader&)>& read);
  [[nodiscard]] const Notice& notice() const { return notice_; }
  /// Whether it was: nothing that is waited for will come.
  [[nodiscard]] bool was_read() const { return was_read_; }

 private:
  Notice notice_;
  bool was_read_ = false;
};

[[nodiscard]] bool has_read_damaged(const Session& session);

}  // namespace fq::manager
