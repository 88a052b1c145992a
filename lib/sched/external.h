// A scheduler that is another program, behind the same interface as those built in (RFC 27): it lives for one
// pass and speaks the lines of sched/protocol through a Channel.
//
// The conversation runs inside a pass, of which all else waits for it: that is why it must answer at once.
// Each alloc request is answered before the next is sent, by one SUCCESS, DENY or ANNOTATE at least; further
// answers may come with those to later requests, or after the end of its input. `hello` takes the whole
// handshake: `resource.acquire` if it asks, `job-manager.sched-hello`, `job-manager.sched-ready`.
//
// Nothing is believed. What breaks a rule throws Error{unavailable} with the reason and what the program last
// wrote to its stderr; of a call that throws nothing is granted. A grant that was right when the handshake
// was made, and is of what another queue took meanwhile or has reserved, is dropped without blame: the job
// waits, and the scheduler gets what it had given back by `sched.free` before the next request.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/channel.h"
#include "sched/matcher.h"
#include "sched/pool.h"
#include "sched/protocol.h"
#include "sched/scheduler.h"

namespace fq::sched {

class External final : public Scheduler {
 public:
  struct Options {
    std::uint64_t queue_depth = 0;      ///< jobs that wait in its queues: what the ready reply tells
    std::optional<std::uint32_t> most;  ///< requests that may be outstanding at most, whatever it says
    /// Whether cancel and prioritize are sent for ids without an outstanding request, too: to see that they
    /// are ignored.
    bool sends_unknown = false;
    double first_silence_s = 10;  ///< until its first line: programs must be loaded
    double silence_s = 1;         ///< from then on
  };
  /// What it may say between two requests: lines, and bytes in all.
  static constexpr std::size_t kMostLines = 10000;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  External(std::unique_ptr<Channel> channel, Options options);

  [[nodiscard]] std::string_view name() const override { return "external"; }
  /// The handshake. All of these throw Error{unavailable} for a program that breaks a rule.
  void hello(JobManager& manager, double now) override;
  [[nodiscard]] Ready ready() override { return ready_; }
  [[nodiscard]] std::vector<AllocReply> alloc(const AllocRequest& request) override;
  [[nodiscard]] std::vector<AllocReply> cancel(notation::JobId id) override;
  [[nodiscard]] std::vector<AllocReply> prioritize(
      std::span<const std::pair<notation::JobId, std::uint32_t>> jobs) override;
  [[nodiscard]] ExpirationReply expiration(notation::JobId id, double expiration) override;
  [[nodiscard]] std::vector<AllocReply> free(notation::JobId id, const document::ResourceSet& released,
                                             bool final) override;
  /// Ends its input, and takes what it still says until it has ended.
  [[nodiscard]] std::vector<AllocReply> finish() override;

 private:
  struct Outstanding {
    AllocRequest request;
    bool answered = false;  ///< once at least
    bool canceled = false;  ///< sched.cancel was sent
  };

  void send(std::string_view line);
  /// The next message; nothing at the end of what it says.
  [[nodiscard]] std::optional<Message> receive();
  /// The same; the end is a fault.
  [[nodiscard]] Message require(std::string_view awaited);
  /// The request with its constraint as the ranks that meet it: RFC 31 is not the scheduler's to evaluate.
  [[nodiscard]] AllocRequest as_told(const AllocRequest& request);
  /// Takes one answer of sched.alloc into taken_.
  void take(const Message& message);
  void check_grant(const Outstanding& outstanding, AllocReply& reply);
  /// Sends `sched.free` and waits for its answer.
  void tell_free(notation::JobId id, const document::ResourceSet& released);
  /// The same for each grant that was dropped.
  void return_dropped();
  /// What was taken, granted where it is still there; what is not is dropped.
  [[nodiscard]] std::vector<AllocReply> hand_over();
  /// Runs `call`, and adds to what it throws what the program complained of.
  template <typename Call>
  auto blame(const Call& call);
  void introduce();
  void tell_jobs();

  std::unique_ptr<Channel> channel_;
  Options options_;
  JobManager* manager_ = nullptr;
  double now_ = 0;
  Ready ready_;
  std::optional<Pool> view_;  ///< as it knows things: at the handshake, and what it gave since
  std::optional<Matcher> matcher_;
  bool heard_ = false;
  std::size_t lines_ = 0, bytes_ = 0;  ///< since the last request
  std::unordered_map<notation::JobId, Outstanding> outstanding_;
  std::vector<std::pair<AllocRequest, AllocReply>> taken_;
  /// Grants that do not hold, and that it was not told of yet.
  std::vector<std::pair<notation::JobId, document::ResourceSet>> dropped_;
};

}  // namespace fq::sched
