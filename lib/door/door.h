// Where a request goes. Commands know requests and replies (request/table.h) and a door to ask them at; who
// answers, and where, is behind it.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "meeting/job_files.h"
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

  /// The files of jobs that run here, which who may see them reads by itself.
  [[nodiscard]] virtual meeting::JobFiles files() const = 0;
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
