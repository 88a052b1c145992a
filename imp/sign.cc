#include "sign.h"

#include <ctime>

#include <sodium.h>

#include "root_file.h"
#include "signature/fields.h"
#include "signature/refused.h"
#include "signature/signed_request.h"

namespace fq::imp {

using signature::Refused;

namespace {

constexpr char kSecret[] = FQ_SYSCONFDIR "/imp.key";
constexpr char kPublic[] = FQ_SYSCONFDIR "/imp.pub";

signature::SecretKey secret_key() {
  std::string text = read_root_file(kSecret, Reader::root);
  try {
    signature::SecretKey key = signature::SecretKey::parse(text);
    ::sodium_memzero(text.data(), text.size());
    return key;
  } catch (...) {
    ::sodium_memzero(text.data(), text.size());
    throw;
  }
}

std::string machine_id() {
  const std::string text = read_root_file("/etc/machine-id", Reader::anybody);
  return text.substr(0, text.find('\n'));
}

std::string random_nonce() {
  unsigned char bytes[16];
  char text[2 * sizeof bytes + 1];
  ::randombytes_buf(bytes, sizeof bytes);
  return ::sodium_bin2hex(text, sizeof text, bytes, sizeof bytes);
}

}  // namespace

void sign(const Caller& caller, const std::vector<std::string>& arguments) {
  const User user = look_up_user(caller.uid);
  if (arguments.size() != 4 && arguments.size() != 6)
    throw Refused("sign STORE RESTARTS RERUNS SECONDS [COUNT ROOT]");
  signature::SignedRequest request;
  request.userid = user.uid;
  request.user = user.name;
  request.store = arguments[0];
  request.machine = machine_id();
  request.restarts =
      static_cast<std::uint32_t>(signature::parse_number(arguments[1], "RESTARTS", UINT32_MAX));
  request.reruns = static_cast<std::uint32_t>(signature::parse_number(arguments[2], "RERUNS", UINT32_MAX));
  request.time = std::time(nullptr);
  request.expiry = request.time + static_cast<std::int64_t>(signature::parse_number(arguments[3], "SECONDS",
                                                                                    signature::kLongestLife));
  if (arguments.size() == 6) {
    request.count = signature::parse_number(arguments[4], "COUNT", signature::kMostJobs);
    request.root = signature::from_base64(arguments[5]);
    if (request.count == 0) throw Refused("COUNT is at least 1");
  }
  request.nonce = random_nonce();
  request.payload = read_input(signature::kMostPayload);
  const std::string J = signature::sign(request, secret_key());
  become_caller(caller);
  write_output(1, J);
}

signature::SignedRequest verify_here(const std::string& J, const std::string& store) {
  const auto keys = signature::parse_public_keys(read_root_file(kPublic, Reader::anybody));
  signature::SignedRequest request = signature::verify(J, keys, std::time(nullptr));
  signature::require_place(request, store, machine_id());
  return request;
}

}  // namespace fq::imp
