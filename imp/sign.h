// What is done with root's keys.

#pragma once

#include <string>
#include <vector>

#include "caller.h"
#include "signature/signed_request.h"

namespace fq::imp {

/// `sign STORE RESTARTS RERUNS SECONDS [COUNT ROOT]`: a jobspec on descriptor 0, or with COUNT and ROOT
/// (base64) the template of so many jobs, becomes J on descriptor 1, signed for the caller and void after so
/// many seconds.
void sign(const Caller& caller, const std::vector<std::string>& arguments);

/// What J says, if it was signed on this machine for that store and holds. Throws Refused.
[[nodiscard]] signature::SignedRequest verify_here(const std::string& J, const std::string& store);

}  // namespace fq::imp
