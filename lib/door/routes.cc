#include "door/routes.h"

#include <array>
#include <utility>

#include "door/route.h"
#include "door/stores.h"
#include "manager/engine/serve.h"

namespace fq::door {
namespace {

using Route = void (*)(const Stores& stores, const void* request, void* reply, const void* rows);

template <typename Request>
void route_any(const Stores& stores, const void* request, void* reply, const void* rows) {
  const auto& asked = *static_cast<const Request*>(request);
  if constexpr (request::HasRows<Request>) {
    route(stores, asked, *static_cast<const typename Request::Stream*>(rows));
  } else {
    *static_cast<typename Request::Reply*>(reply) = route(stores, asked);
  }
}

constexpr auto kRoutes = []<std::size_t... kind>(std::index_sequence<kind...>) {
  return std::array<Route, sizeof...(kind)>{route_any<request::RequestAt<kind>>...};
}
(std::make_index_sequence<request::kKinds>{});

}  // namespace

void serve(const manager::Session& session, std::size_t kind, const void* request, void* reply,
           const void* rows) {
  const Stores stores(session);
  if (stores.size() == 1) return manager::serve(session, kind, request, reply, rows);
  kRoutes.at(kind)(stores, request, reply, rows);
}

manager::Session session_of(const manager::Session& session, notation::JobId id) {
  if (manager::instance_number(id) == 0) return session;
  const Stores stores(session);
  return stores.session(stores.of(id));
}

}  // namespace fq::door
