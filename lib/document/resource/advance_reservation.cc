#include "document/resource/advance_reservation.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace fq::document {

using nlohmann::json;

bool AdvanceReservation::admits(std::uint32_t user, std::string_view queue) const {
  return std::find(userids.begin(), userids.end(), user) != userids.end() ||
         std::find(queues.begin(), queues.end(), queue) != queues.end();
}

bool AdvanceReservation::excludes(double from, double until) const {
  return from < end && until > (flex ? end : start);
}

std::string encode_reservation(const AdvanceReservation& reservation) {
  return dump_json({{"ranks", reservation.ranks.encode()},
                    {"start", reservation.start},
                    {"end", reservation.end},
                    {"users", reservation.users},
                    {"groups", reservation.groups},
                    {"queues", reservation.queues},
                    {"userids", reservation.userids},
                    {"flex", reservation.flex},
                    {"reason", reservation.reason},
                    {"userid", reservation.userid}});
}

AdvanceReservation decode_reservation(std::uint64_t number, std::string_view text) {
  constexpr auto kLastUser = std::numeric_limits<std::uint32_t>::max();
  const json document = parse_json(text, "reservation");
  const JsonAt record{document, "reservation"};
  const auto names = [&](const char* key) {
    std::vector<std::string> list;
    const JsonAt at = record.at(key);
    for (std::size_t i = 0; i < at.array().size(); ++i) list.push_back(at.at(i).as_string());
    return list;
  };
  AdvanceReservation reservation;
  reservation.number = number;
  reservation.ranks = notation::Idset::decode(record.at("ranks").as_string());
  reservation.start = record.at("start").as_number();
  reservation.end = record.at("end").as_number();
  reservation.users = names("users");
  reservation.groups = names("groups");
  reservation.queues = names("queues");
  const JsonAt userids = record.at("userids");
  for (std::size_t i = 0; i < userids.array().size(); ++i)
    reservation.userids.push_back(static_cast<std::uint32_t>(userids.at(i).as_integer(0, kLastUser)));
  reservation.flex = record.at("flex").as_boolean();
  reservation.reason = record.at("reason").as_string();
  reservation.userid = static_cast<std::uint32_t>(record.at("userid").as_integer(0, kLastUser));
  return reservation;
}

}  // namespace fq::document
