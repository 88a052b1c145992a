// fq sched serve: a built-in scheduler as a program, on stdin and stdout.

#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "sched/factory.h"
#include "sched/protocol.h"
#include "sched/sub_commands.h"
#include "sched/told_nodes.h"

namespace fq::tools {

namespace {

using namespace fq::sched;
using nlohmann::json;
using notation::JobId;

void say_message(std::string_view topic, const json& payload) {
  cli::print(encode_message(topic, payload) + '\n');
}

std::optional<Message> hear_message() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return parse_message(line);
}

Message hear_answer(std::string_view topic) {
  auto message = hear_message();
  if (!message) throw error(Kind::unavailable, "the input ended before {} was answered", topic);
  if (message->topic != topic)
    throw error(Kind::invalid, "expected an answer to {}, got {}", topic, quote_cut(message->topic));
  return *std::move(message);
}

void require_success(const Message& answer) {
  if (answer.errnum != 0) throw error(Kind::unavailable, "{}: error {}", answer.topic, answer.errnum);
}

class Served {
 public:
  explicit Served(const Parameters& parameters) : scheduler_(make_scheduler(parameters)) {}

  void greet() {
    const double now = SystemClock{}.now();
    say_message(topic::kAcquire, json::object());
    const Message acquired = hear_answer(topic::kAcquire);
    require_success(acquired);
    const JsonAt at{acquired.payload, "payload"};
    auto inventory = document::ResourceSet::from_json(at.at("resources"));
    const auto down = inventory.ranks().subtract(notation::Idset::decode(at.at("up").as_string()));
    say_message(topic::kHello, json::object());
    std::vector<HelloJob> jobs;
    for (;;) {
      const Message job = hear_answer(topic::kHello);
      if (job.errnum == kEndOfStream) break;
      require_success(job);
      jobs.push_back(read_hello(job.payload));
    }
    nodes_.emplace(std::move(inventory), std::move(jobs), now);
    nodes_->pool().set_down(down);
    scheduler_->hello(*nodes_, now);
    say_message(topic::kReady, ready_payload(scheduler_->ready()));
    require_success(hear_answer(topic::kReady));
  }

  void serve() {
    while (const auto message = hear_message()) answer(*message);
    tell(scheduler_->finish());
  }

 private:
  void answer(const Message& message) {
    if (message.topic == topic::kAlloc) {
      const AllocRequest request = read_alloc(message.payload);
      const std::vector<AllocReply> replies = scheduler_->alloc(request);
      tell(replies);
      for (const AllocReply& reply : replies) {
        if (reply.id == request.id) return;
      }
      AllocReply waits;
      waits.id = request.id;
      tell({waits});
    } else if (message.topic == topic::kCancel) {
      tell(scheduler_->cancel(read_id(message.payload)));
    } else if (message.topic == topic::kPrioritize) {
      const JsonAt jobs = JsonAt{message.payload, "payload"}.at("jobs").array();
      std::vector<std::pair<JobId, std::uint32_t>> changed;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const JsonAt pair = jobs.at(i).array();
        if (pair.size() != 2) throw pair.fail("expected [id, priority]");
        changed.emplace_back(JobId{static_cast<std::uint64_t>(pair.at(std::size_t{0}).as_integer())},
                             static_cast<std::uint32_t>(pair.at(std::size_t{1}).as_integer(0, 4294967295)));
      }
      tell(scheduler_->prioritize(changed));
    } else if (message.topic == topic::kExpiration) {
      propose(message.payload);
    } else if (message.topic == topic::kFree) {
      give_back(read_id(message.payload));
    } else {
      throw error(Kind::invalid, "there is no topic {}", quote_cut(message.topic));
    }
  }

  void propose(const json& payload) {
    const double end = JsonAt{payload, "payload"}.at("expiration").as_number();
    const ExpirationReply reply = scheduler_->expiration(read_id(payload), end);
    if (reply.status == ExpirationReply::Status::accepted) {
      say_message(topic::kExpiration, json::object());
    } else {
      const bool refused = reply.status == ExpirationReply::Status::refused;
      constexpr int kInvalid = 22;
      cli::print(encode_failure(topic::kExpiration, refused ? kInvalid : kNotImplemented, reply.reason) +
                 '\n');
    }
  }

  void give_back(JobId id) {
    std::optional<document::ResourceSet> held;
    if (const auto at = started_.find(id); at != started_.end()) {
      held = std::move(at->second);
      started_.erase(at);
    } else {
      nodes_->for_each_job([&](const HelloJob& job) {
        if (job.id == id && freed_.insert(id).second) held = job.R;
      });
    }
    std::vector<AllocReply> replies;
    if (held) replies = scheduler_->free(id, *held, true);
    say_message(topic::kFree, id_payload(id));
    tell(replies);
  }

  void tell(const std::vector<AllocReply>& replies) {
    for (const AllocReply& reply : replies) {
      if (reply.R) started_.insert_or_assign(reply.id, *reply.R);
      say_message(topic::kAlloc, reply_payload(reply));
    }
  }

  std::unique_ptr<Scheduler> scheduler_;
  std::optional<ToldNodes> nodes_;
  std::map<JobId, document::ResourceSet> started_;
  std::set<JobId> freed_;
};

}  // namespace

int serve_scheduler(int argc, char** argv) {
  cli::OptionParser parser("fq-sched serve", "be a built-in scheduler on stdin and stdout", {"NAME", 1, 1});
  parser.example("fq sched check fq sched serve easy");
  const std::string name = parser.parse(argc, argv).front();
  Served served(read_parameters({{"name", name}}));
  served.greet();
  served.serve();
  return 0;
}

}  // namespace fq::tools
