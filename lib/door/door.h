// Where a request goes. Commands know requests and replies (request/table.h) and a door to ask them at; who
// answers, and where, is behind it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "door/live.h"
#include "meeting/terminal_link.h"
#include "notation/idset.h"
#include "request/table.h"

namespace fq::door {

class Door {
 public:
  Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  virtual ~Door() = default;

  /// Throws the Error with which a request is refused.
  template <typename Request>
  requires(!request::HasRows<Request>) typename Request::Reply ask(const Request& request) const {
    static_assert(request::kKindOf<Request> < request::kKinds, "a request that is not in the table");
    typename Request::Reply reply;
    carry(request::kKindOf<Request>, &request, &reply, nullptr);
    return reply;
  }
  /// The same of one whose reply comes in rows.
  template <request::HasRows Request>
  void ask(const Request& request, const typename Request::Stream& rows) const {
    carry(request::kKindOf<Request>, &request, nullptr, &rows);
  }

  /// Waits for changes of the jobs `ids`, or, when that is empty, of any job. The door outlives what it
  /// gives.
  [[nodiscard]] virtual std::unique_ptr<Waiter> waiter(std::span<const notation::JobId> ids) const = 0;
  /// A guest file of a job, `output`, not open yet.
  [[nodiscard]] virtual std::unique_ptr<GuestFile> guest_file(notation::JobId id, std::string name) const = 0;
  /// The standard input of a job's tasks in `ranks`; the streams of those in `closed` end at once. Null where
  /// the job has no guest files, yet or any more.
  [[nodiscard]] virtual std::unique_ptr<JobInput> input(notation::JobId id, const notation::Idset& ranks,
                                                        const notation::Idset& closed) const = 0;
  /// The job's terminal; nothing where it has none, yet or any more.
  [[nodiscard]] virtual std::optional<meeting::TerminalLink> terminal(notation::JobId id) const = 0;

  [[nodiscard]] virtual const Clock& clock() const = 0;
  /// The user that asks.
  [[nodiscard]] virtual std::uint32_t userid() const = 0;
  /// Whether the answers were read from a damaged store: nothing that is waited for will come.
  [[nodiscard]] virtual bool has_read_damaged() const = 0;

 private:
  /// Has the request answered. `kind` is its place in the table; `reply` is a default Request::Reply to fill,
  /// or null where `rows`, a Request::Stream, takes the rows.
  virtual void carry(std::size_t kind, const void* request, void* reply, const void* rows) const = 0;
};

}  // namespace fq::door
