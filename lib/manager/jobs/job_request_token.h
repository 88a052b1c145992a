// J: the request of a user to run a job (RFC 15). In a single-user store nobody signs: the mechanism is
// `none`, and J is a function of the jobspec and the user, so it is made when it is asked for.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fq::manager {

/// `HEADER.PAYLOAD.none`, both parts in base64: the header says version, user and mechanism, the payload is
/// the jobspec as submitted.
[[nodiscard]] std::string unsigned_request(std::string_view jobspec, std::uint32_t userid);

}  // namespace fq::manager
