// fq sched check: takes a scheduler through the rules of RFC 27, one conversation for all.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "document/jobspec/jobspec.h"
#include "manager/pass/external_scheduler.h"
#include "sched/sub_commands.h"
#include "sched/told_nodes.h"

namespace fq::tools {

namespace {

using namespace fq::sched;
using notation::Idset;
using notation::JobId;

constexpr JobId kRunning{7};

// Three nodes of four cores; the second has two GPUs, the third is down.
document::ResourceSet three_nodes() {
  document::ResourceSet r;
  r.add({0, "node0", Idset::from_range(0, 3), {}});
  r.add({1, "node1", Idset::from_range(0, 3), Idset::from_range(0, 1)});
  r.add({2, "node2", Idset::from_range(0, 3), {}});
  return r;
}

HelloJob running_job() {
  HelloJob job{kRunning, 16, 1000, 1.5, {}};
  job.R.add({0, "node0", Idset::from_range(0, 0), {}});
  return job;
}

Error broken(const std::string& what) {
  return Error{Kind::refused, what};
}

class Conformance {
 public:
  explicit Conformance(std::vector<std::string> command)
      : now_(SystemClock{}.now()), nodes_(three_nodes(), {running_job()}, now_) {
    nodes_.pool().set_down(Idset::from_range(2, 2));
    parameters_.command = std::move(command);
  }

  /// Prints a line a rule; whether all hold.
  bool run() {
    rule("handshake: resource.acquire, job-manager.sched-hello, job-manager.sched-ready", [&] { greet(); });
    rule("sched.alloc: what is free is given, and R is what was asked for", [&] { give(); });
    rule("sched.alloc: what can never fit is denied", [&] { deny(); });
    rule("sched.alloc: whole nodes are given whole, or not at all", [&] { whole(); });
    rule("sched.alloc: a constraint is kept", [&] { constrain(); });
    rule("sched.alloc: of several nodes each gives its part", [&] { spread(); });
    rule("sched.alloc: GPUs are given with the cores of their node, and those that are not there denied",
         [&] { give_gpus(); });
    rule("sched.alloc: a node that is not up is not given, and its job waits", [&] { spare(); });
    rule("sched.free: a grant that does not hold is given back, and can be had again", [&] { drop(); });
    rule("sched.cancel, sched.prioritize, sched.expiration: what is not known is passed over",
         [&] { tell_unknown(); });
    rule("sched.alloc: nothing is given twice, and what is free is given up to the last core",
         [&] { fill(); });
    rule("sched.prioritize: taken without an answer", [&] { prioritize(); });
    rule("sched.cancel: answered with type 3", [&] { cancel(); });
    rule("sched.free: answered, and makes room", [&] { make_room(); });
    rule("sched.expiration: answered", [&] { prolong(); });
    rule("a window of requests is answered one by one", [&] { fill_window(); });
    rule("the end of input is the end of it, with exit code 0", [&] { end(); });
    return all_hold_;
  }

 private:
  // A scheduler that broke one rule cannot be asked about those that follow; one that keeps to the protocol
  // and does something else can.
  void rule(std::string_view text, const std::function<void()>& check) {
    std::string why = gone_ ? "it could not be asked any more" : "";
    try {
      if (!gone_) check();
    } catch (const Error& failure) {
      why = failure.what();
      gone_ = failure.kind() != Kind::refused;
    }
    cli::print_line(why.empty() ? fmt::format("ok {}", text) : fmt::format("not ok {}: {}", text, why));
    all_hold_ = all_hold_ && why.empty();
  }

  // Asks for slots of a core, and so many GPUs, each, or with `nnodes` for so many nodes with one such slot
  // each; returns what came of it.
  AllocReply ask(std::uint32_t nnodes, std::uint32_t slots, bool exclusive = false,
                 const nlohmann::json& constraint = nullptr, std::uint32_t gpus = 0) {
    using nlohmann::json;
    json with = json::array({{{"type", "core"}, {"count", 1}}});
    if (gpus > 0) with.push_back({{"type", "gpu"}, {"count", gpus}});
    json slot{{"type", "slot"}, {"count", slots}, {"label", "task"}, {"with", std::move(with)}};
    json top = slot;
    if (nnodes > 0) {
      top = {{"type", "node"}, {"count", nnodes}, {"with", json::array({slot})}};
      if (exclusive) top["exclusive"] = true;
    }
    const json document{{"version", 1},
                        {"resources", json::array({top})},
                        {"tasks", {{{"command", {"true"}}, {"slot", "task"}, {"count", {{"per_slot", 1}}}}}},
                        {"attributes", {{"system", {{"duration", 3600}}}}}};
    const auto jobspec = document::Jobspec::from_json(document);
    AllocRequest request;
    request.id = last_ = JobId{next_id_++};
    request.priority = 16;
    request.t_submit = now_;
    request.counts = jobspec.counts();
    request.duration = request.least_duration = jobspec.duration();
    if (!constraint.is_null()) request.constraint = dump_json(constraint);
    nodes_.jobspecs[request.id] = dump_json(document);
    AllocReply last;
    for (AllocReply& reply : scheduler_->alloc(request)) {
      if (reply.id == request.id) last = std::move(reply);
    }
    if (last.type == AllocType::annotate) waiting_.push_back(request.id);
    return last;
  }

  void expect(const AllocReply& reply, AllocType type) {
    if (reply.type != type)
      throw broken(
          fmt::format("type {}, and {} was expected", static_cast<int>(reply.type), static_cast<int>(type)));
  }
  // Gives back what a request got; takes back one that waits.
  void settle(const AllocReply& reply) {
    if (reply.R) static_cast<void>(scheduler_->free(reply.id, *reply.R, true));
    take_back();
  }
  void take_back() {
    for (; !waiting_.empty(); waiting_.pop_back()) static_cast<void>(scheduler_->cancel(waiting_.back()));
  }

  void greet() {
    scheduler_ = manager::start_external(parameters_, 3, /*sends_unknown=*/true);
    scheduler_->hello(nodes_, now_);
    ready_ = scheduler_->ready();
  }
  void give() {
    const AllocReply reply = ask(0, 1);
    settle(reply);
    expect(reply, AllocType::success);
  }
  void deny() {
    const AllocReply reply = ask(4, 1);
    settle(reply);
    expect(reply, AllocType::deny);
  }
  void whole() {
    const AllocReply reply = ask(1, 1, true);
    settle(reply);
    expect(reply, AllocType::success);
  }
  void constrain() {
    const AllocReply reply = ask(0, 2, false, {{"hostlist", {"node1"}}});
    settle(reply);
    expect(reply, AllocType::success);
  }
  void spread() {
    const AllocReply reply = ask(2, 1);
    settle(reply);
    expect(reply, AllocType::success);
  }
  void give_gpus() {
    const AllocReply both = ask(0, 2, false, nullptr, 1);
    settle(both);
    expect(both, AllocType::success);
    const AllocReply more = ask(0, 1, false, nullptr, 3);
    settle(more);
    expect(more, AllocType::deny);
  }
  void spare() {
    const AllocReply reply = ask(0, 1, false, {{"hostlist", {"node2"}}});
    settle(reply);
    expect(reply, AllocType::annotate);
  }
  // As if another queue had taken all that is free, and given it back.
  void drop() {
    document::ResourceSet rest;
    rest.add({0, "node0", Idset::from_range(1, 3), {}});
    rest.add({1, "node1", Idset::from_range(0, 3), {}});
    nodes_.pool().allocate(rest);
    const AllocReply dropped = ask(0, 1);
    waiting_.clear();  // its request has ended
    nodes_.pool().release(rest);
    expect(dropped, AllocType::annotate);
    const AllocReply all = ask(0, 7);
    settle(all);
    expect(all, AllocType::success);
  }
  // What is said to these would be the next thing heard.
  void tell_unknown() {
    constexpr JobId kUnknown{9};
    static_cast<void>(scheduler_->cancel(kUnknown));
    const std::vector<std::pair<JobId, std::uint32_t>> unknown{{kUnknown, 31}};
    static_cast<void>(scheduler_->prioritize(unknown));
    static_cast<void>(scheduler_->expiration(kUnknown, now_ + 7200));
    give();
  }
  void fill() {
    // Of eight cores one is taken.
    for (int given = 0; given < 7; ++given) {
      const AllocReply reply = ask(0, 1);
      if (!reply.R) take_back();
      expect(reply, AllocType::success);
    }
    const AllocReply reply = ask(0, 1);
    if (reply.type != AllocType::annotate) settle(reply);
    expect(reply, AllocType::annotate);
  }
  void cancel() {
    if (waiting_.empty()) throw broken("no request waits");
    const JobId id = waiting_.back();
    waiting_.pop_back();
    for (const AllocReply& reply : scheduler_->cancel(id)) {
      if (reply.id == id && reply.type == AllocType::cancel) return;
    }
    throw broken("it was not answered");
  }
  // An answer would be the next thing heard.
  void prioritize() {
    if (waiting_.empty()) throw broken("no request waits");
    const std::vector<std::pair<JobId, std::uint32_t>> first{{waiting_.back(), 31}};
    static_cast<void>(scheduler_->prioritize(first));
  }
  void make_room() {
    static_cast<void>(scheduler_->free(kRunning, running_job().R, true));
    const AllocReply reply = ask(0, 1);
    if (!reply.R) take_back();
    expect(reply, AllocType::success);
  }
  void prolong() { static_cast<void>(scheduler_->expiration(last_, now_ + 7200)); }
  void fill_window() {
    const bool limited = ready_.mode == Ready::Mode::limited;
    const std::uint32_t most = limited ? std::min<std::uint32_t>(ready_.limit, 3) : 3;
    for (std::uint32_t i = 0; i < most; ++i) expect(ask(0, 1), AllocType::annotate);
  }
  void end() { static_cast<void>(scheduler_->finish()); }

  double now_;
  ToldNodes nodes_;
  Parameters parameters_;
  std::unique_ptr<Scheduler> scheduler_;
  Ready ready_;
  std::uint64_t next_id_ = 145241087982698496;  ///< as large as ids are: beyond what a double holds
  JobId last_;
  std::vector<JobId> waiting_;
  bool gone_ = false, all_hold_ = true;
};

}  // namespace

int check_scheduler(int argc, char** argv) {
  cli::Operands operands{"COMMAND [ARG...]", 1, cli::Operands::kUnlimited, true};
  cli::OptionParser parser("fq-sched check", "whether a program is a scheduler that fq can use", operands);
  parser.example("fq sched check ./my-scheduler");
  return Conformance(parser.parse(argc, argv)).run() ? 0 : 1;
}

}  // namespace fq::tools
