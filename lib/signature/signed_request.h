// J: a user's request to run a job, or many (RFC 15): HEADER.PAYLOAD.SIGNATURE, each in base64. The signature
// is Ed25519 over the text HEADER.PAYLOAD, by a key of the root of the machine that it is made on.
//
// HEADER is keys and values that end with a zero byte; a value begins with its type, i for numbers, s for
// strings:
//
//   version i1, userid i, mechanism s        RFC 15; the mechanism is `ed25519`
//   key s                                    PublicKey::id of the key that signed
//   user s                                   the login name of the user
//   store s, machine s                       where it may run: a store's name, /etc/machine-id
//   time i, expiry i                         when it was signed and from when on it is void, in seconds
//                                            since the epoch
//   nonce s                                  32 hexadecimal digits, by which its runs are counted
//   restarts i                               how often it may be started again where none of its code has run
//   reruns i                                 how often it may run again after it has run
//   count i, root s                          of many jobs: how many, and the root of their tree (merkle.h),
//                                            in base64
//
// PAYLOAD is the jobspec (RFC 25); of many jobs the template that their values go into (fill_template).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "signature/keys.h"

namespace fq::signature {

inline constexpr std::size_t kMostPayload = 4U << 20;               ///< as much as a jobspec may have
inline constexpr std::int64_t kLongestLife = 366LL * 24 * 60 * 60;  ///< seconds from `time` to `expiry`
inline constexpr std::uint64_t kMostJobs = 1U << 24;

struct SignedRequest {
  std::uint32_t userid = 0;
  std::string user;
  std::string store;
  std::string machine;
  std::int64_t time = 0;
  std::int64_t expiry = 0;
  std::string nonce;
  std::uint32_t restarts = 0;
  std::uint32_t reruns = 0;
  std::uint64_t count = 0;  ///< 0: one job, whose jobspec the payload is
  std::string root;         ///< bytes
  std::string payload;

  friend bool operator==(const SignedRequest&, const SignedRequest&) = default;
};

/// J for what a store without signatures is asked: `HEADER.PAYLOAD.none`, with the mechanism `snone`.
[[nodiscard]] std::string unsigned_request(std::string_view jobspec, std::uint32_t userid);

/// The text J. Throws Refused where a member is none that J may have.
[[nodiscard]] std::string sign(const SignedRequest& request, const SecretKey& key);

/// What `J` says, if one of the keys signed it and it holds at `now`. Throws Refused.
[[nodiscard]] SignedRequest verify(std::string_view J, const std::vector<PublicKey>& keys, std::int64_t now);

/// The same whenever it was signed, whether J and the key still hold or not.
[[nodiscard]] SignedRequest verify_signature(std::string_view J, const std::vector<PublicKey>& keys);

/// The login name that `J` names, whether it was signed or not. Throws Refused where it names nobody.
[[nodiscard]] std::string signer_name(std::string_view J);

/// Throws Refused where it was signed for another store or machine (the text of /etc/machine-id, with or
/// without what follows its line).
void require_place(const SignedRequest& request, std::string_view store, std::string_view machine);

/// What the job at `index` of a request that was verified is made of: the payload itself where it is one job.
/// Throws Refused unless the proof says that `values` are those of `index`.
[[nodiscard]] std::string jobspec_of(const SignedRequest& request, std::uint64_t index,
                                     std::string_view values, std::string_view proof);

/// The same without making it.
void require_part(const SignedRequest& request, std::uint64_t index, std::string_view values,
                  std::string_view proof);

/// Whether `text` may be the name of a store: 1 to 64 letters, digits, `-` and `_`.
[[nodiscard]] bool is_store_name(std::string_view text);

}  // namespace fq::signature
