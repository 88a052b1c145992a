// R (RFC 20) as fq-imp hands it on: a line `RANK HOST CORES GPUS` for each node (signature/exec_message.h).

#pragma once

#include <string>
#include <string_view>

#include "document/resource/resource_set.h"

namespace fq::shell {

[[nodiscard]] std::string encode_R_lines(const document::ResourceSet& R);
/// Throws Error{invalid}.
[[nodiscard]] document::ResourceSet decode_R_lines(std::string_view lines);

}  // namespace fq::shell
