// Which queues share nodes.

#pragma once

#include "document/config/config.h"

namespace fq::document {

/// Gives queues that share a node the same group, numbered from 0 in the order of the queues.
void form_groups(Config& config);

}  // namespace fq::document
