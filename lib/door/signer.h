// Signing what a user asks to run, where jobs run as their users: by fq-imp(8), which the user runs.

#pragma once

#include <string>
#include <vector>

#include "request/submit.h"

namespace fq::door {

/// The request with J in each of its groups. `command` runs fq-imp on the machine that the store is on;
/// `store` is the name to sign for. Throws Error{permission} with what fq-imp refuses, Error{unavailable}
/// where it cannot be run.
[[nodiscard]] request::SubmitRequest signed_request(const request::SubmitRequest& request,
                                                    const std::vector<std::string>& command,
                                                    const std::string& store);

}  // namespace fq::door
