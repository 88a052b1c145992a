// The jobs of a group of queues as the scheduling pass reads them: in their order, of each class the first
// that is left. What its record tells of a class is looked at before any job is read: whether anything limits
// its jobs, and whether the nodes that are up could hold one.

#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "manager/accounts/use_limits.h"
#include "manager/core/change.h"
#include "manager/pass/preemption.h"
#include "records/pending_order.h"
#include "sched/matcher.h"
#include "sched/pass.h"
#include "sched/timeline.h"

namespace fq::manager {

class GroupRequests final : public sched::PendingRequests {
 public:
  /// Of these classes. `change` and `timeline`, that the pass plans with, outlive this. What is reserved for
  /// jobs that limits hold back is given up.
  GroupRequests(Change& change, records::JobClasses group, sched::Timeline& timeline);

  [[nodiscard]] std::optional<sched::AllocRequest> next() override;
  [[nodiscard]] const std::string& served_by() const override { return served_by_; }
  void started(const sched::AllocReply& reply) override;
  void claimed(const sched::AllocReply& reply) override;
  void skip_class() override { order_.skip_class(); }
  void skip_what_does_not_fit() override { only_what_fits_.insert(served_by_); }
  void skip_queue() override { left_out_.insert(served_by_); }

  /// Of classes of which limits let none start, the first jobs and why; not of all where there are many.
  [[nodiscard]] std::vector<sched::AllocReply> take_held_back() { return std::move(held_back_); }
  /// When time alone lets jobs start that were held back here.
  [[nodiscard]] double next_chance() const;
  /// Stores whose turn it is in the next pass.
  void write_turns() const { order_.write_turns(change_.transaction()); }

 private:
  using Entry = records::PendingOrder::Entry;

  /// Whether limits let no job of its class start; notes why.
  [[nodiscard]] bool limits_hold_back(const Entry& entry);
  /// What is reserved for jobs of the class that were not asked for is given up.
  void give_up_reserved(const records::JobClass& c);
  /// What limits, and rules of preemption, look at of its jobs. Valid until the next call.
  [[nodiscard]] const job::Job& like(const records::JobClass& c);
  /// Whether as many classes of its user were looked at as one may have looked at beside others.
  [[nodiscard]] bool user_has_enough(const records::JobClass& c);
  /// Whether it waits for nodes that are not up, as others before it of which that was said. A scheduler that
  /// is a program says so itself.
  [[nodiscard]] bool is_passed_over(const records::JobClass& c);
  /// Whether its jobs, which nothing limits, wait for what is not free, in a queue that looks at others only.
  [[nodiscard]] bool does_not_fit(const records::JobClass& c);
  [[nodiscard]] bool is_leaving(const job::Job& job);

  Change& change_;
  sched::Timeline& timeline_;
  sched::Matcher& matcher_;       ///< of its pool
  std::set<std::string> queues_;  ///< that serve the group's jobs
  bool of_one_user_;              ///< all classes
  records::PendingOrder order_;
  UseLimits limits_;
  double last_leaves_ = std::numeric_limits<double>::infinity();
  std::string served_by_;  ///< of the last entry
  PreemptionRules rules_;
  std::set<std::string> left_out_, only_what_fits_;
  std::map<std::string, bool> external_;  ///< by queue
  std::size_t passed_over_ = 0;
  std::unordered_set<const records::JobClass*> examined_;
  std::map<std::uint32_t, std::size_t> examined_of_;  ///< how many of them, by user
  job::Job first_;                                    ///< of a class, as far as limits look at who asks
  sched::AllocRequest like_;                          ///< what the jobs of a class ask for
  std::vector<sched::AllocReply> held_back_;
};

}  // namespace fq::manager
