#include "signature/exec_message.h"

#include <algorithm>
#include <vector>

#include "signature/fields.h"
#include "signature/refused.h"
#include "signature/signed_request.h"

namespace fq::signature {
namespace {

constexpr std::size_t kMostR = 1U << 20;
constexpr std::uint64_t kMostTime = 1ULL << 40;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_idset(std::string_view text) {
  const auto allowed = [](char c) { return is_digit(c) || c == ',' || c == '-'; };
  return text == "-" ||
         (!text.empty() && is_digit(text.front()) && std::all_of(text.begin(), text.end(), allowed));
}

bool is_host(std::string_view text) {
  constexpr std::size_t kMost = 253;  // RFC 1035
  return !text.empty() && text.size() <= kMost && text.front() != '-' && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
                  c == '_';
         });
}

std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

void check_R(std::string_view R) {
  if (R.empty() || R.size() > kMostR) throw Refused("R is empty, or too long");
  while (!R.empty()) {
    const std::size_t end = R.find('\n');
    if (end == std::string_view::npos) throw Refused("R is cut off");
    std::string_view line = R.substr(0, end);
    static_cast<void>(parse_number(take_word(line), "a rank of R", UINT32_MAX));
    const std::string_view host = take_word(line), cores = take_word(line), gpus = take_word(line);
    if (!is_host(host) || !is_idset(cores) || !is_idset(gpus) || !line.empty())
      throw Refused("R is not lines of RANK HOST CORES GPUS");
    R.remove_prefix(end + 1);
  }
}

}  // namespace

std::string encode_message(const ExecMessage& message) {
  std::string fields =
      encode_fields({message.store, std::to_string(message.id), std::to_string(message.attempt),
                     std::to_string(message.end), message.R, message.J, std::to_string(message.index),
                     message.values, message.proof});
  if (message.number != 0) fields += encode_fields({std::to_string(message.number)});
  return std::to_string(fields.size()) + ":" + fields;
}

ExecMessage decode_message(std::string_view text) {
  const std::vector<std::string_view> fields = decode_fields(text, 10);
  if (fields.size() < 9 || fields.size() > 10 || !is_store_name(fields[0]))
    throw Refused("that is no message for exec");
  ExecMessage message;
  message.store = fields[0];
  message.id = parse_number(fields[1], "the id");
  message.attempt = static_cast<std::uint32_t>(parse_number(fields[2], "the attempt", UINT32_MAX));
  message.end = parse_number(fields[3], "the end", kMostTime);
  check_R(fields[4]);
  message.R = fields[4];
  message.J = fields[5];
  message.index = parse_number(fields[6], "the index", kMostJobs);
  message.values = fields[7];
  message.proof = fields[8];
  if (fields.size() == 10) message.number = parse_number(fields[9], "the number of the store");
  return message;
}

std::string encode_job(const SignedJob& job) {
  return encode_fields({std::to_string(job.id), std::to_string(job.attempt), std::to_string(job.end), job.R,
                        job.payload, std::to_string(job.count), std::to_string(job.index), job.values});
}

SignedJob decode_job(std::string_view text) {
  const std::vector<std::string_view> fields = decode_fields(text, 8);
  if (fields.size() != 8) throw Refused("that is no job");
  SignedJob job;
  job.id = parse_number(fields[0], "the id");
  job.attempt = static_cast<std::uint32_t>(parse_number(fields[1], "the attempt", UINT32_MAX));
  job.end = parse_number(fields[2], "the end", kMostTime);
  job.R = fields[3];
  job.payload = fields[4];
  job.count = parse_number(fields[5], "the count", kMostJobs);
  job.index = parse_number(fields[6], "the index", kMostJobs);
  job.values = fields[7];
  return job;
}

}  // namespace fq::signature
