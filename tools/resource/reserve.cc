// fq-resource reserve, reservations and cancel-reservation: nodes kept for a time that is set beforehand.

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/list/reservation_listing.h"
#include "document/jobspec/begin_time.h"
#include "frame/store_session.h"
#include "notation/fsd.h"
#include "request/reservation.h"
#include "resource/commands.h"

namespace fq::tools::resource {

namespace {

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : split(text, ',')) {
    if (!name.empty()) names.emplace_back(name);
  }
  if (names.empty()) throw Error{Kind::invalid, "expected names, divided by commas"};
  return names;
}

double start_time(const std::string& text, double now) {
  try {
    return document::parse_begin_time(text, now);
  } catch (const Error& failure) {
    throw Error{Kind::usage, fmt::format("--start: {}", failure.what()), failure.hint()};
  }
}

}  // namespace

int reserve(int argc, char** argv) {
  cli::CommonOptions common;
  request::ReserveRequest request;
  std::string start, duration;
  bool quiet = false;
  cli::OptionParser parser("fq-resource reserve",
                           "keep nodes for some, or for maintenance, in a time set beforehand",
                           {"NODES|COUNT", 1, 1});
  parser.example("fq resource reserve node[0-3] --start='sat 8am' -d 4h --reason=disks");
  parser.example("fq resource reserve 2 -d 2h --user=ada");
  parser.group("When");
  parser.option("--start", "TIME", start, "when it begins: 18:30, +2h, a date and time (now)");
  parser.option(
      "-d,--duration", "FSD",
      [&](const std::string& given) {
        duration = given;
        request.duration = notation::parse_fsd(given);
      },
      "how long it lasts: 30m, 4h, 2d");
  parser.group("For whom (without any it is for maintenance: nobody's)");
  const auto names = [&](const char* option, const char* value, std::vector<std::string>& list,
                         const char* text) {
    parser.option(
        option, value, [&list](const std::string& given) { list = names_in(given); }, text);
  };
  names("--user", "USER,...", request.users, "jobs of these users may use it");
  names("--group", "GROUP,...", request.groups, "jobs of those in these groups, as they are now");
  names("--queue", "QUEUE,...", request.queues, "jobs of these queues");
  parser.group("Options");
  parser.flag("--flex", request.flex, "other jobs may use it that end before it does");
  parser.option("--reason", "TEXT", request.reason, "what 'fq job why' says of it");
  parser.flag("-q,--quiet", quiet, "do not print its number");
  cli::add_common_options(parser, common);
  request.nodes = parser.parse(argc, argv).front();
  if (duration.empty()) throw Error{Kind::usage, "how long? give --duration=FSD"};
  if (!(request.duration > 0) || request.duration > document::kEndOfTime)
    throw error(Kind::usage, "--duration: expected how long it lasts, as 4h, not {}", quote(duration));
  const tools::StoreSession store("fq-resource", common);
  if (!start.empty()) request.start = start_time(start, store.now());
  const request::Reserved made = store.get().ask(request);
  if (!quiet) cli::print_line(fmt::format("{}", made.reservation.number));
  for (const notation::JobId id : made.in_use_by)
    cli::say("fq-resource", fmt::format("job {} may still run when it begins", id));
  return 0;
}

int reservations(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-resource reservations", "list what is reserved and not over yet");
  parser.example("fq resource reservations");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::reservation_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_reservation_listing(listing);
  const tools::StoreSession store("fq-resource", common);
  cli::print(cli::list_reservations(store.get().ask(request::ReservationsRequest{}).reservations, store.now(),
                                    listing));
  return 0;
}

int cancel_reservation(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-resource cancel-reservation",
                           "take a reservation back: its nodes are everybody's again", {"NUMBER", 1, 1});
  parser.example("fq resource cancel-reservation 3");
  cli::add_common_options(parser, common);
  const std::string text = parser.parse(argc, argv).front();
  const auto number = parse_u64(text);
  if (!number)
    throw error(Kind::usage,
                "expected the number of a reservation, as 'fq resource reservations' shows it, got {}",
                quote(text));
  const tools::StoreSession store("fq-resource", common);
  store.get().ask(request::CancelReservationRequest{*number});
  return 0;
}

}  // namespace fq::tools::resource
