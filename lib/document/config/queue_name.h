// Names of queues: they stand in lists, keys, properties and messages.

#pragma once

#include <string>
#include <string_view>

namespace fq::document {

/// Why `name` can be the name of no queue, as a sentence that says what a name is; empty where it can.
[[nodiscard]] std::string queue_name_fault(std::string_view name);
/// The same of a quality of service.
[[nodiscard]] std::string qos_name_fault(std::string_view name);

}  // namespace fq::document
