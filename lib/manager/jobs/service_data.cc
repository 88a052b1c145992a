#include "manager/jobs/service_data.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "manager/core/change.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "notation/kvs_key.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

// The bytes of what services keep with the job, but for the one with this key.
std::size_t kept_by_others(const store::Reader& reader, JobId id, const std::string& key) {
  const std::string directory = records::key::data(id, "");
  std::size_t sum = 0;
  for (const auto at = reader.scan_prefix(Family::kvs, directory); at->valid(); at->next()) {
    const std::string_view service = at->key().substr(directory.size());
    if (at->key() == key || notation::is_in(request::kOwnService, service)) continue;
    sum += service.size() + at->value().size();
  }
  return sum;
}

}  // namespace

void keep_service_data(const Session& session, const ServiceDataRequest& request) {
  transact(session, [&](Change& change) {
    require_operator(change, "keep data with jobs");
    request::require_service_name(request.service);
    static_cast<void>(change.job(request.id));
    const std::string key = records::key::data(request.id, request.service);
    const std::size_t sum =
        kept_by_others(change.transaction(), request.id, key) + request.service.size() + request.bytes.size();
    if (sum > request::kMaxServiceBytes) {
      throw error(Kind::refused, "the data of job {} would be {} bytes: at most {}", request.id, sum,
                  request::kMaxServiceBytes);
    }
    change.put_document(request.id, key, request.bytes);
    log_act(change, "service-data",
            {{"job", request.id.value}, {"service", request.service}, {"bytes", request.bytes.size()}});
  });
}

}  // namespace fq::manager
