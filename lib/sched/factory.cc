#include "sched/factory.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "sched/fcfs.h"

namespace fq::sched {

Parameters read_parameters(const nlohmann::json& table) {
  const JsonAt at{table, {}};
  at.allow_only({"name", "tier"});
  Parameters parameters;
  if (const auto name = at.find("name")) {
    parameters.name = name->as_string();
    static_cast<void>(make_scheduler(parameters.name));
  }
  if (const auto tier = at.find("tier")) {
    parameters.tier =
        static_cast<std::uint16_t>(tier->as_integer(0, std::numeric_limits<std::uint16_t>::max()));
  }
  return parameters;
}

std::vector<std::string> scheduler_names() {
  return {"fcfs"};
}

std::unique_ptr<Scheduler> make_scheduler(std::string_view name) {
  if (name == "fcfs") return std::make_unique<Fcfs>();
  const std::vector<std::string> names = scheduler_names();
  const std::string known = join(names, ", ");
  throw Error{Kind::invalid, "unknown scheduler " + quote(name) + ": expected one of " + known,
              did_you_mean(name, names)};
}

}  // namespace fq::sched
