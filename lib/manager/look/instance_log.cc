#include "manager/look/instance_log.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/event/eventlog.h"
#include "document/jobspec/begin_time.h"
#include "manager/core/permission.h"
#include "records/keys.h"
#include "records/store_time.h"

namespace fq::manager {

request::LogReply read_log(const Session& session, const request::LogRequest& request) {
  request::LogReply reply;
  query(session, [&](const store::Reader& reader) {
    require_operator(reader, session.caller, "read the log");
    const double now = records::store_time(reader, *session.clock).now;
    const double since = request.since ? document::parse_past_time(*request.since, now) : 0;
    const auto text = reader.get(store::Family::kvs, records::key::kInstanceEventlog);
    const std::vector<document::Event> events = document::decode_eventlog(text.value_or(""));
    const auto first =
        std::ranges::find_if(events, [&](const document::Event& event) { return event.timestamp >= since; });
    const auto wanted = static_cast<std::size_t>(events.end() - first);
    const std::size_t most = request.most == 0 ? wanted : std::min(wanted, request.most);
    reply.events.clear();
    for (auto at = events.end() - static_cast<std::ptrdiff_t>(most); at != events.end(); ++at)
      reply.events.push_back({at->timestamp, at->name,
                              dump_json(at->context.is_null() ? nlohmann::json::object() : at->context)});
  });
  return reply;
}

}  // namespace fq::manager
