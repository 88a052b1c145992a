#include "document/config/config_programs.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "document/config/config_perilog.h"

namespace fq::document {

namespace {

using nlohmann::json;

const json& member(const json& table, std::string_view key) {
  static const json kNone = json::object();
  const auto at = table.find(key);
  return at == table.end() ? kNone : *at;
}

class Programs {
 public:
  void add_scheduler(const json& table) { add(member(member(table, "policy"), "scheduler")); }
  void add_perilogs(const json& table) {
    for (const PerilogKind kind : kPerilogKinds) add(member(table, name(kind)));
  }
  [[nodiscard]] std::set<std::vector<std::string>> take() { return std::move(all_); }

 private:
  void add(const json& table) {
    const json& command = member(table, "command");
    if (command.is_string() && command != "") all_.insert({command.get<std::string>()});
    // What is no command is for the reader of its table to refuse.
    const bool is_words =
        command.is_array() &&
        std::all_of(command.begin(), command.end(), [](const json& word) { return word.is_string(); });
    if (is_words && !command.empty()) all_.insert(command.get<std::vector<std::string>>());
  }

  std::set<std::vector<std::string>> all_;
};

}  // namespace

std::set<std::vector<std::string>> named_programs(const json& document) {
  Programs programs;
  programs.add_scheduler(document);
  for (const std::string_view table : {"job-manager", "jobs"}) programs.add_perilogs(member(document, table));
  for (const json& queue : member(document, "queues")) {
    programs.add_scheduler(queue);
    programs.add_perilogs(queue);
  }
  return programs.take();
}

}  // namespace fq::document
