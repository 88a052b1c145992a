// The stores that a session's requests go to: its own, and those of the queues that are instances of their
// own (manager/site/instances.h). Which has a job is in the job's id, which has a queue is recorded.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "door/wide_waiter.h"
#include "manager/engine/serve.h"
#include "manager/engine/session.h"
#include "manager/site/instances.h"
#include "request/table.h"

namespace fq::door {

class Stores {
 public:
  /// Reads what instances there are, and makes those that are not made yet. `session` outlives this. Throws
  /// Error.
  explicit Stores(const manager::Session& session);

  /// Stores count from 0, the session's own.
  [[nodiscard]] std::size_t size() const { return instances_.size() + 1; }
  [[nodiscard]] const manager::Session& session(std::size_t store) const;
  /// The instance. REQUIRES that it is not 0.
  [[nodiscard]] const manager::Instance& instance(std::size_t store) const {
    return instances_.at(store - 1);
  }

  /// Which has, or would have, the job, the queue, the node. What nobody has is 0's.
  [[nodiscard]] std::size_t of(notation::JobId id) const;
  [[nodiscard]] std::size_t of_queue(std::string_view queue) const;
  [[nodiscard]] std::size_t of_rank(std::uint32_t rank) const;
  /// For each store those of `ids` that are its, in their order.
  [[nodiscard]] std::vector<std::vector<notation::JobId>> split(std::span<const notation::JobId> ids) const;

  /// What a store answers. Throws as the manager refuses it.
  template <typename Request>
  requires(!request::HasRows<Request>) typename Request::Reply
      ask(std::size_t store, const Request& request) const {
    typename Request::Reply reply;
    manager::serve(session(store), request::kKindOf<Request>, &request, &reply, nullptr);
    return reply;
  }
  template <request::HasRows Request>
  void ask(std::size_t store, const Request& request, const typename Request::Stream& rows) const {
    manager::serve(session(store), request::kKindOf<Request>, &request, nullptr, &rows);
  }
  /// What each of them answers to the same, in their order.
  template <typename Request>
  [[nodiscard]] std::vector<typename Request::Reply> ask_all(const Request& request) const {
    std::vector<typename Request::Reply> replies;
    for (std::size_t store = 0; store < size(); ++store) replies.push_back(ask(store, request));
    return replies;
  }

  /// Waits for changes of jobs, or, without ids, of any job of any of them.
  [[nodiscard]] std::unique_ptr<WideWaiter> waiter(std::span<const notation::JobId> ids) const;
  /// Asks until `look` says that it has what it wants, after each change; false where the time was over
  /// first.
  [[nodiscard]] bool wait_until(double timeout_s, const std::function<bool()>& look) const;

 private:
  const manager::Session& session_;
  std::vector<manager::Instance> instances_;
};

}  // namespace fq::door
