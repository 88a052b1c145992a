#include "manager/pass/consultation_due.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

std::optional<ConsultationDue> consultation_due(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, records::key::kConsultation);
  if (!text) return std::nullopt;
  const nlohmann::json document = parse_json(*text, "scheduler.consult");
  ConsultationDue due;
  due.number = document.at("number").get<std::uint64_t>();
  due.since = document.at("since").get<std::map<std::string, double>>();
  return due;
}

void note_consultation(Change& change, const std::string& queue) {
  ConsultationDue due = consultation_due(change.transaction()).value_or(ConsultationDue{});
  due.number = store::transaction_number(change.transaction()) + 1;
  due.since.try_emplace(queue, change.now());
  change.transaction().put(Family::instance, records::key::kConsultation,
                           dump_json({{"number", due.number}, {"since", due.since}}));
}

void forget_consultation(store::Transaction& transaction) {
  transaction.erase(Family::instance, records::key::kConsultation);
}

std::string consultation_lock(const std::string& store) {
  return store + "/consulting";
}

}  // namespace fq::manager
