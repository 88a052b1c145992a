// What commands tell their users while the store keeps them: that another command has it, that it is brought
// to another format.

#pragma once

#include <string>

#include "manager/engine/session.h"

namespace fq::tools {

/// For `command`. Who has the store, and how far it is brought forward, is told on a terminal; elsewhere a
/// line says that it is. What stderr has no room for at once is left out: others wait for the store.
[[nodiscard]] manager::Notices store_notices(const std::string& command);

}  // namespace fq::tools
