#include "door/told.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

namespace fq::door {

using nlohmann::json;

Told tell_by_text(const std::function<void(std::string_view)>& send) {
  Told told;
  told.notices.migrating = [send](std::uint64_t done, std::uint64_t total) {
    send(dump_json(json{{"migrating", {done, total}}}));
  };
  told.notices.waiting = [send](const std::string& holder) { send(dump_json(json{{"waiting", holder}})); };
  told.notices.begins = [send] { send(dump_json(json{{"begins", true}})); };
  told.damaged = [send](const std::string& damage, const std::vector<std::string>& lost) {
    send(dump_json(json{{"damaged", damage}, {"lost", lost}}));
  };
  return told;
}

bool pass_on(std::string_view text, const Told& told) {
  const json document = parse_json(text, "notice");
  const JsonAt at{document, "notice"};
  at.object();
  if (const auto progress = at.find("migrating")) {
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint64_t>(progress->at(i).as_integer(0, INT64_MAX));
    };
    if (told.notices.migrating) told.notices.migrating(number(0), number(1));
  } else if (at.find("begins")) {
    if (told.notices.begins) told.notices.begins();
  } else if (const auto holder = at.find("waiting")) {
    if (told.notices.waiting) told.notices.waiting(holder->as_string());
  } else {
    std::vector<std::string> lost;
    const JsonAt lines = at.at("lost");
    lines.array();
    for (std::size_t i = 0; i < lines.value().size(); ++i) lost.push_back(lines.at(i).as_string());
    if (told.damaged) told.damaged(at.at("damaged").as_string(), lost);
    return true;
  }
  return false;
}

}  // namespace fq::door
