#include "manager/jobs/job_request_token.h"

#include <fmt/core.h>
#include <sodium.h>

namespace fq::manager {
namespace {

std::string base64(std::string_view bytes) {
  std::string out(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  ::sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // the terminating zero
  return out;
}

// RFC 15: keys and values end with a zero byte; a value begins with its type.
void add(std::string& header, std::string_view key, std::string_view typed_value) {
  header.append(key).append(1, '\0').append(typed_value).append(1, '\0');
}

}  // namespace

std::string unsigned_request(std::string_view jobspec, std::uint32_t userid) {
  std::string header;
  add(header, "version", "i1");
  add(header, "userid", fmt::format("i{}", userid));
  add(header, "mechanism", "snone");
  return fmt::format("{}.{}.none", base64(header), base64(jobspec));
}

}  // namespace fq::manager
