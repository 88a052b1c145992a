#include "cli/submission.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "cli/jobspec_builder.h"

namespace fq::cli {
namespace {

using manager::JobspecTemplate;
using manager::SubmitRequest;

SubmitRequest request_with(const SubmitOptions& options, JobspecTemplate jobspec) {
  SubmitRequest request;
  request.jobspec = std::move(jobspec);
  request.urgency = submit_urgency(options);
  request.flags = submit_flags(options);
  return request;
}

std::string jobspec_text(const SubmitOptions& options, const Surroundings& surroundings) {
  return dump_json(build_jobspec(options, surroundings));
}

// Makes the jobspec text of one copy. --cc puts the number into the environment too, --bcc does not.
struct CopyMaker {
  const SubmitOptions& options;
  const Surroundings& surroundings;
  bool in_environment;

  [[nodiscard]] std::string text(std::uint32_t number) const {
    const auto copy = in_environment ? std::optional{number} : std::nullopt;
    return dump_json(build_jobspec(with_copy_number(options, number), surroundings, copy));
  }
};

// The one jobspec of all copies, where they differ in strings only. Two numbers that nobody uses mark the
// places; a real copy proves the result.
JobspecTemplate common_jobspec(const CopyMaker& copy, std::uint32_t real_number) {
  constexpr std::uint32_t kFirst = 4111122223;
  constexpr std::uint32_t kSecond = 4222233334;
  try {
    JobspecTemplate common = JobspecTemplate::between(copy.text(kFirst), std::to_string(kFirst),
                                                      copy.text(kSecond), std::to_string(kSecond));
    if (common.pieces.empty() || common.text(real_number) != copy.text(real_number)) return {};
    return common;
  } catch (const Error&) {
    return {};  // the numbers do not fit where an option wants a small one
  }
}

}  // namespace

std::vector<SubmitRequest> make_requests(const SubmitOptions& options, const CopyOptions& copies,
                                         const Surroundings& surroundings) {
  const auto numbers = copy_numbers(copies);
  if (!numbers) return {request_with(options, JobspecTemplate::plain(jobspec_text(options, surroundings)))};
  if (numbers->empty()) return {};
  std::vector<SubmitRequest> requests;
  const CopyMaker copy{options, surroundings, copies.cc.has_value()};
  JobspecTemplate common = common_jobspec(copy, numbers->front());
  if (!common.pieces.empty()) {
    requests.push_back(request_with(options, std::move(common)));
    for (const std::uint32_t number : *numbers) requests.back().copies.insert(number);
    return requests;
  }
  for (const std::uint32_t number : *numbers) {
    requests.push_back(request_with(options, JobspecTemplate::plain(copy.text(number))));
  }
  return requests;
}

std::string dry_run_text(const std::vector<SubmitRequest>& requests) {
  std::string out;
  for (const SubmitRequest& request : requests) {
    const notation::Idset one{0};
    const notation::Idset& numbers = request.copies.empty() ? one : request.copies;
    numbers.for_each([&](std::uint32_t number) {
      const std::string text = request.jobspec.text(number);
      static_cast<void>(manager::checked_jobspec(text));
      out.append(text).append(1, '\n');
    });
  }
  return out;
}

}  // namespace fq::cli
