#include "request/alter.h"

#include "base/error.h"
#include "base/text.h"
#include "notation/kvs_key.h"

namespace fq::request {

void require_service_name(std::string_view service) {
  if (!notation::is_kvs_key(service)) {
    throw Error{Kind::usage, fmt::format("{} is no name of a service", quote(service)),
                fmt::format("letters, digits and _ - + @ : , =, with dots between words, {} bytes at most",
                            notation::kMaxKvsKey)};
  }
  if (notation::is_in(kOwnService, service)) {
    throw Error{Kind::usage, fmt::format("data.{} is fq's own", service), "take another name"};
  }
}

}  // namespace fq::request
