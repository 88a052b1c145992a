#include "meeting/imp_kill.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "process/start/child_channel.h"

namespace fq::meeting {
namespace {

constexpr double kPatience = 30;  // seconds in which it answers

}  // namespace

std::optional<process::ProcessKey> kill_by_imp(const std::string& imp, const SignedStart& start,
                                               notation::JobId id, std::uint32_t attempt, int signal) {
  std::vector<std::string> command{
      imp, "kill", start.store, std::to_string(id.value), std::to_string(attempt), std::to_string(signal)};
  if (start.number != 0) command.push_back(std::to_string(start.number));
  process::ChildChannel channel(command, kPatience);
  const std::string answer = channel.receive_line(kPatience).value_or("");
  if (answer == "empty") return std::nullopt;
  const std::vector<std::string_view> words = split(answer, ' ');
  const auto pid = words.size() == 3 ? parse_u64(words[1]) : std::nullopt;
  const auto start_time = words.size() == 3 ? parse_u64(words[2]) : std::nullopt;
  if (!pid || !start_time) {
    static_cast<void>(channel.how_it_ended(kPatience));
    throw error(Kind::unavailable, "fq-imp does not say what is left of job {}: {}", notation::to_f58(id),
                channel.last_complaint());
  }
  return process::ProcessKey{static_cast<pid_t>(*pid), *start_time};
}

std::optional<SignedStart> signed_start_of(const JobFiles& files, notation::JobId id) {
  const auto text = read_file_if_exists(files.launch(id));
  // Of most stores no job is signed: it is not decoded for nothing.
  if (!text || text->find("\"signed\"") == std::string::npos) return std::nullopt;
  return decode_launch(*text).signed_start;
}

}  // namespace fq::meeting
