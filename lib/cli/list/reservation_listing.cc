#include "cli/list/reservation_listing.h"

#include <array>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"

namespace fq::cli {

using nlohmann::json;

namespace {

struct ReservationRow {
  request::Reserved reserved;
  bool active = false;
};

// `ada,@staff,queue:debug`, or `-` for maintenance.
std::string whose(const document::AdvanceReservation& reservation) {
  std::vector<std::string> names = reservation.users;
  for (const std::string& group : reservation.groups) names.push_back("@" + group);
  for (const std::string& queue : reservation.queues) names.push_back("queue:" + queue);
  return names.empty() ? "-" : join(names, ",");
}

constexpr std::array kReservationFields{
    Field<ReservationRow>{"number", "NUMBER", "what it is called by",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return integer(r.reserved.reservation.number);
                          }},
    Field<ReservationRow>{"state", "STATE", "active, or planned",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return Value{std::string_view{r.active ? "active" : "planned"}};
                          }},
    Field<ReservationRow>{"start", "START", "when it begins",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return Value{r.reserved.reservation.start};
                          }},
    Field<ReservationRow>{"end", "END", "when it is over",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return Value{r.reserved.reservation.end};
                          }},
    Field<ReservationRow>{"nnodes", "NNODES", "how many nodes",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return integer(r.reserved.reservation.ranks.count());
                          }},
    Field<ReservationRow>{"ranks", "RANKS", "their ranks",
                          [](const ReservationRow& r, std::string_view, std::string& scratch) {
                            return Value{std::string_view{scratch = r.reserved.reservation.ranks.encode()}};
                          }},
    Field<ReservationRow>{"nodelist", "NODELIST", "their names",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return Value{std::string_view{r.reserved.nodelist}};
                          }},
    Field<ReservationRow>{"for", "FOR", "users, @groups, queue:names; - for maintenance",
                          [](const ReservationRow& r, std::string_view, std::string& scratch) {
                            return Value{std::string_view{scratch = whose(r.reserved.reservation)}};
                          }},
    Field<ReservationRow>{"flex", "FLEX", "whether others may use it that end before it does",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return Value{std::string_view{r.reserved.reservation.flex ? "yes" : "no"}};
                          }},
    Field<ReservationRow>{"reason", "REASON", "why",
                          [](const ReservationRow& r, std::string_view, std::string&) {
                            return Value{std::string_view{r.reserved.reservation.reason}};
                          }},
};

constexpr std::array kReservationFormats{
    NamedFormat{"default", "the usual columns",
                "{number:>6} {state:<7} {start!d:%b%d %R::<12} {end!d:%b%d %R::<12} +:{for:<3} {flex:<4} "
                "+:{nodelist:<8} {reason}"},
};

}  // namespace

std::string list_reservations(std::vector<request::Reserved> all, double now, const ListingOptions& options) {
  std::vector<ReservationRow> rows;
  for (request::Reserved& each : all) {
    const bool active = each.reservation.start <= now;
    rows.push_back({std::move(each), active});
  }
  auto format = arrange<ReservationRow>(rows, options, "resource", kReservationFormats, kReservationFields);
  if (!options.json) return format.list(rows, options.no_header);
  json list = json::array();
  for (const ReservationRow& row : rows) {
    const document::AdvanceReservation& each = row.reserved.reservation;
    list.push_back({{"number", each.number},
                    {"state", row.active ? "active" : "planned"},
                    {"start", each.start},
                    {"end", each.end},
                    {"ranks", each.ranks.encode()},
                    {"nodelist", row.reserved.nodelist},
                    {"users", each.users},
                    {"groups", each.groups},
                    {"queues", each.queues},
                    {"flex", each.flex},
                    {"reason", each.reason},
                    {"userid", each.userid}});
  }
  return dump_json({{"reservations", std::move(list)}}) + "\n";
}

std::optional<std::string> reservation_formats_told(const ListingOptions& options) {
  return told_of_formats<ReservationRow>(options, "resource", kReservationFormats, kReservationFields);
}

void check_reservation_listing(const ListingOptions& options) {
  check_arrangement<ReservationRow>(options, "resource", kReservationFormats, kReservationFields);
}

}  // namespace fq::cli
