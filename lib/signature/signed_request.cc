#include "signature/signed_request.h"

#include <algorithm>
#include <map>

#include <sodium.h>

#include "signature/fields.h"
#include "signature/merkle.h"
#include "signature/refused.h"

namespace fq::signature {
namespace {

constexpr std::string_view kMechanism = "ed25519";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::size_t kMostHeader = 4096;

void add(std::string& header, std::string_view key, char type, std::string_view value) {
  header.append(key).append(1, '\0').append(1, type).append(value).append(1, '\0');
}
void add(std::string& header, std::string_view key, std::uint64_t value) {
  add(header, key, 'i', std::to_string(value));
}

class Header {
 public:
  explicit Header(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view key = take(bytes), value = take(bytes);
      if (value.empty() || !values_.emplace(key, value).second) throw Refused("the header of J is malformed");
    }
  }
  [[nodiscard]] bool has(std::string_view key) const { return values_.count(key) != 0; }
  [[nodiscard]] std::string_view string(std::string_view key) const { return typed(key, 's'); }
  [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t most) const {
    return parse_number(typed(key, 'i'), "'" + std::string{key} + "' of J", most);
  }

 private:
  static std::string_view take(std::string_view& bytes) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) throw Refused("the header of J is malformed");
    const std::string_view taken = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return taken;
  }
  [[nodiscard]] std::string_view typed(std::string_view key, char type) const {
    const auto found = values_.find(key);
    if (found == values_.end() || found->second.front() != type)
      throw Refused("the header of J has no '" + std::string{key} + "'");
    return found->second.substr(1);
  }
  std::map<std::string_view, std::string_view> values_;
};

void check(const SignedRequest& request) {
  const auto printable = [](const std::string& text) {
    return !text.empty() && text.size() <= 256 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  };
  if (!printable(request.user))
    throw Refused("user " + std::to_string(request.userid) +
                  " has a name that is not 1 to 256 characters of ASCII without blanks");
  if (!printable(request.machine)) throw Refused("J names no machine");
  if (!is_store_name(request.store)) throw Refused("J names no store");
  if (request.nonce.size() != 32 || request.nonce.find_first_not_of(kHex) != std::string::npos)
    throw Refused("J has no nonce");
  if (request.time < 0 || request.expiry <= request.time || request.expiry - request.time > kLongestLife)
    throw Refused("J expires before it was signed, or too long after");
  if (request.count > kMostJobs || request.root.size() != (request.count == 0 ? 0 : sizeof(Hash)))
    throw Refused("J has no root of its jobs");
  if (request.payload.empty() || request.payload.size() > kMostPayload)
    throw Refused("a jobspec has 1 to " + std::to_string(kMostPayload) + " bytes");
}

// What J says, if one of the keys that hold at `now` signed it; whether it holds itself is not asked.
SignedRequest open_signed(std::string_view J, const std::vector<PublicKey>& keys, std::int64_t now) {
  const std::size_t first = J.find('.');
  const std::size_t second = first == std::string_view::npos ? first : J.find('.', first + 1);
  if (second == std::string_view::npos) throw Refused("J is not HEADER.PAYLOAD.SIGNATURE");
  if (first > kMostHeader || second - first > kMostPayload / 3 * 4 + 8) throw Refused("J is too long");
  // Nothing that J says counts before the signature does, but which key to try.
  const std::string header_bytes = from_base64(J.substr(0, first));
  const Header header(header_bytes);
  if (header.number("version", UINT32_MAX) != 1 || header.string("mechanism") != kMechanism)
    throw Refused("J is not signed");
  const std::string_view id = header.string("key");
  const auto key =
      std::find_if(keys.begin(), keys.end(), [&](const PublicKey& one) { return one.id() == id; });
  if (key == keys.end() || now >= key->until) throw UnknownKey();
  const std::string signature = from_base64(J.substr(second + 1));
  if (signature.size() != crypto_sign_BYTES ||
      ::crypto_sign_verify_detached(reinterpret_cast<const unsigned char*>(signature.data()),
                                    reinterpret_cast<const unsigned char*>(J.data()), second,
                                    key->bytes.data()) != 0) {
    throw Refused("the signature of J is wrong");
  }
  SignedRequest request;
  request.userid = static_cast<std::uint32_t>(header.number("userid", UINT32_MAX));
  request.user = header.string("user");
  request.store = header.string("store");
  request.machine = header.string("machine");
  request.time = static_cast<std::int64_t>(header.number("time", INT64_MAX));
  request.expiry = static_cast<std::int64_t>(header.number("expiry", INT64_MAX));
  request.nonce = header.string("nonce");
  request.restarts = static_cast<std::uint32_t>(header.number("restarts", UINT32_MAX));
  request.reruns = static_cast<std::uint32_t>(header.number("reruns", UINT32_MAX));
  if (header.has("count")) {
    request.count = header.number("count", kMostJobs);
    request.root = from_base64(header.string("root"));
    if (request.count == 0) throw Refused("J has no root of its jobs");
  }
  request.payload = from_base64(J.substr(first + 1, second - first - 1));
  check(request);
  return request;
}

}  // namespace

bool is_store_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

std::string unsigned_request(std::string_view jobspec, std::uint32_t userid) {
  std::string header;
  add(header, "version", 1);
  add(header, "userid", userid);
  add(header, "mechanism", 's', "none");
  return to_base64(header) + "." + to_base64(jobspec) + ".none";
}

std::string sign(const SignedRequest& request, const SecretKey& key) {
  check(request);
  std::string header;
  add(header, "version", 1);
  add(header, "userid", request.userid);
  add(header, "mechanism", 's', kMechanism);
  add(header, "key", 's', key.public_key().id());
  add(header, "user", 's', request.user);
  add(header, "store", 's', request.store);
  add(header, "machine", 's', request.machine);
  add(header, "time", static_cast<std::uint64_t>(request.time));
  add(header, "expiry", static_cast<std::uint64_t>(request.expiry));
  add(header, "nonce", 's', request.nonce);
  add(header, "restarts", request.restarts);
  add(header, "reruns", request.reruns);
  if (request.count > 0) {
    add(header, "count", request.count);
    add(header, "root", 's', to_base64(request.root));
  }
  std::string J = to_base64(header) + "." + to_base64(request.payload);
  const std::array<unsigned char, 64> signature = key.sign(J);
  J += "." + to_base64({reinterpret_cast<const char*>(signature.data()), signature.size()});
  return J;
}

SignedRequest verify(std::string_view J, const std::vector<PublicKey>& keys, std::int64_t now) {
  SignedRequest request = open_signed(J, keys, now);
  if (now >= request.expiry) throw Refused("the signature of J has expired");
  return request;
}

std::string signer_name(std::string_view J) {
  const std::string header = from_base64(J.substr(0, J.find('.')));
  return std::string{Header(header).string("user")};
}

SignedRequest verify_signature(std::string_view J, const std::vector<PublicKey>& keys) {
  return open_signed(J, keys, 0);
}

void require_place(const SignedRequest& request, std::string_view store, std::string_view machine) {
  if (request.store != store) throw Refused("J is for the store '" + request.store + "'");
  if (request.machine != machine.substr(0, machine.find('\n'))) throw Refused("J is for another machine");
}

void require_part(const SignedRequest& request, std::uint64_t index, std::string_view values,
                  std::string_view proof) {
  if (request.count == 0) {
    if (index != 0 || !values.empty() || !proof.empty()) throw Refused("J is for one job");
    return;
  }
  Hash root{};
  std::copy(request.root.begin(), request.root.end(), root.begin());
  if (!in_tree(root, request.count, index, values, proof))
    throw Refused("J was not signed for a job with these values");
}

std::string jobspec_of(const SignedRequest& request, std::uint64_t index, std::string_view values,
                       std::string_view proof) {
  require_part(request, index, values, proof);
  return request.count == 0 ? request.payload : fill_template(request.payload, values);
}

}  // namespace fq::signature
