// What proves that jobs of a shared store are what their users signed.

#pragma once

#include <string>

namespace fq::manager {

struct Signatures {
  std::string store;        ///< the name that is signed for it
  std::string public_keys;  ///< the path of root's (signature/keys.h)
  std::string machine;      ///< that of /etc/machine-id
};

/// Of the store that the users of this machine share.
[[nodiscard]] Signatures system_signatures();

}  // namespace fq::manager
