#include "manager/core/hidden_jobs.h"

#include <cctype>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "document/event/eventlog.h"

namespace fq::manager {

using notation::JobId;

namespace {

constexpr std::string_view kJob = "job ";
constexpr std::string_view kFlorin = "ƒ";

// The length of the id in base 58 that `text` begins with, as messages have it; 0 where there is none.
std::size_t id_length(std::string_view text) {
  std::size_t length = text.starts_with(kFlorin) ? kFlorin.size() : text.starts_with('f') ? 1 : 0;
  if (length == 0) return 0;
  while (length < text.size() && std::isalnum(static_cast<unsigned char>(text[length])) != 0) ++length;
  return length;
}

std::optional<JobId> id_in(std::string_view text) {
  try {
    return notation::parse_job_id(text);
  } catch (const Error&) {
    return std::nullopt;  // another word
  }
}

}  // namespace

std::string without_hidden_jobs(Rights& rights, std::string text) {
  if (text.find(kJob) == std::string::npos || rights.sees_all()) return text;
  std::string shown;
  std::string_view rest = text;
  for (std::size_t at; (at = rest.find(kJob)) != std::string_view::npos;) {
    const std::size_t length = id_length(rest.substr(at + kJob.size()));
    const auto id = length == 0 ? std::nullopt : id_in(rest.substr(at + kJob.size(), length));
    const bool hides = id && rights.is_hidden(*id);
    shown += rest.substr(0, at);
    shown += hides ? std::string_view{"another job"} : kJob;
    rest.remove_prefix(at + kJob.size() + (hides ? length : 0));
  }
  shown += rest;
  return shown;
}

std::string eventlog_without_hidden_jobs(Rights& rights, std::string log) {
  if (rights.sees_all()) return log;
  std::string shown;
  for (document::Event& event : document::decode_eventlog(log)) {
    if (event.name == "preempt") {
      const auto by = event.context.find("by");
      if (by != event.context.end() && by->is_number_unsigned() &&
          rights.is_hidden(JobId{by->get<std::uint64_t>()}))
        event.context.erase(by);
    }
    document::append_event(shown, event);
  }
  return without_hidden_jobs(rights, std::move(shown));
}

void hide_jobs_in(Rights& rights, job::Job& job) {
  job.annotations = without_hidden_jobs(rights, std::move(job.annotations));
  job.exception.note = without_hidden_jobs(rights, std::move(job.exception.note));
  if (job.preempted_by != JobId{} && rights.is_hidden(job.preempted_by)) job.preempted_by = {};
}

}  // namespace fq::manager
