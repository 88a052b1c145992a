#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/resource/constraint.h"

namespace fq::document {

using nlohmann::json;

namespace {

class Joiner {
 public:
  void add(const json& term) {
    const Constraint parsed = Constraint::parse(JsonAt{term, "constraint"});
    if (parsed.matches_all()) return;
    if (const auto nested = term.find("and"); nested != term.end()) {
      for (const json& child : *nested) add(child);
    } else if (const auto properties = term.find("properties"); properties != term.end()) {
      if (!properties_at_) {
        properties_at_ = terms_.size();
        terms_.push_back({{"properties", json::array()}});
      }
      for (const json& property : *properties) {
        if (properties_.insert(property.get<std::string>()).second) {
          terms_[*properties_at_]["properties"].push_back(property);
        }
      }
    } else if (known_.insert(parsed.canonical()).second) {
      terms_.push_back(term);
    }
  }

  [[nodiscard]] json result() && {
    if (terms_.empty()) return json::object();
    if (terms_.size() == 1) return std::move(terms_.front());
    return {{"and", std::move(terms_)}};
  }

 private:
  std::vector<json> terms_;
  std::optional<std::size_t> properties_at_;
  std::set<std::string> properties_;
  std::set<std::string> known_;
};

}  // namespace

json join_constraints(const std::vector<json>& terms) {
  Joiner joiner;
  for (const json& term : terms) joiner.add(term);
  return std::move(joiner).result();
}

json join_constraints(const json& a, const json& b) {
  return join_constraints(std::vector<json>{a, b});
}

}  // namespace fq::document
