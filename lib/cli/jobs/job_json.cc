#include "cli/jobs/job_json.h"

#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "notation/fluid.h"

namespace fq::cli {
namespace {

using job::Job;
using nlohmann::json;

/// Appends members to an object that is open at the end of `out`.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  void close() { out_ += '}'; }

  /// Appends the key; the value is the caller's to append.
  std::string& key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += name;
    out_ += "\":";
    return out_;
  }
  void text(std::string_view name, std::string_view words) { append_json_string(key(name), words); }
  void text_if_set(std::string_view name, std::string_view words) {
    if (!words.empty()) text(name, words);
  }
  void integer(std::string_view name, std::int64_t number) { key(name) += fmt::format_int(number).c_str(); }
  void count_if_set(std::string_view name, std::uint64_t number) {
    if (number > 0) key(name) += fmt::format_int(number).c_str();
  }
  void real(std::string_view name, double number) { append_json(key(name), json(number)); }
  void real_if_set(std::string_view name, double number) {
    if (number != 0) real(name, number);
  }
  /// Members that are text already; may be empty.
  void more(std::string_view members) {
    if (members.empty()) return;
    if (!first_) out_ += ',';
    first_ = false;
    out_ += members;
  }
  void truth(std::string_view name, bool is_true) { key(name) += is_true ? "true" : "false"; }

 private:
  std::string& out_;
  bool first_ = true;
};

bool is_annotated(const JobRow& row) {
  return !row.job->annotations.empty() || !row.job->memo.empty() || row.t_estimate || row.reason_pending;
}

/// The annotations with the row's own and the job's memo; an empty object where there are none.
json annotations_of(const JobRow& row) {
  json all = json::object();
  if (!row.job->annotations.empty()) {
    all = json::parse(row.job->annotations, nullptr, false);
    if (!all.is_object()) all = json::object();
  }
  if (!row.job->memo.empty()) all["user"] = json::parse(row.job->memo, nullptr, false);
  if (!row.t_estimate && !row.reason_pending) return all;
  json& sched = all["sched"];
  if (!sched.is_object()) sched = json::object();
  if (row.t_estimate) sched["t_estimate"] = *row.t_estimate;
  if (row.reason_pending) sched["reason_pending"] = *row.reason_pending;
  return all;
}

Value to_value(const json& found, std::string& scratch) {
  switch (found.type()) {
    case json::value_t::null:
      return {};
    case json::value_t::boolean:
      return std::string_view{found.get<bool>() ? "True" : "False"};
    case json::value_t::number_integer:
      return found.get<std::int64_t>();
    case json::value_t::number_unsigned: {
      const auto number = found.get<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return static_cast<double>(number);
      }
      return static_cast<std::int64_t>(number);
    }
    case json::value_t::number_float:
      return found.get<double>();
    case json::value_t::string:
      scratch = found.get_ref<const std::string&>();
      return std::string_view{scratch};
    default:
      if (found.empty()) return {};
      scratch.clear();
      append_json(scratch, found);
      return std::string_view{scratch};
  }
}

void append_exception(std::string& out, const job::Exception& exception) {
  Members members{out};
  members.truth("occurred", exception.occurred);
  if (exception.occurred) {
    members.integer("severity", exception.severity);
    members.text("type", exception.type);
    members.text("note", exception.note);
  }
  members.close();
}

void append_dependency_list(std::string& out, const Job& job, double now) {
  Job one;
  out += '[';
  for (std::size_t i = 0; i < job.dependencies.size(); ++i) {
    if (i > 0) out += ',';
    one.dependencies.assign(1, job.dependencies[i]);
    std::string words;
    append_dependencies(words, one, now);
    append_json_string(out, words);
  }
  out += ']';
}

}  // namespace

void append_job_json(std::string& out, const JobRow& row) {
  const Job& job = *row.job;
  const job::Result result = job::result(job);
  const JobSize size = size_of(job);
  Members members{out};
  members.real_if_set("t_depend", job.t_depend);
  members.real_if_set("t_priority", job.t_priority);
  members.real_if_set("t_sched", job.t_sched);
  members.real_if_set("t_run", job.t_run);
  members.real_if_set("t_cleanup", job.t_cleanup);
  members.real_if_set("t_inactive", job.t_inactive);
  members.real("duration", job.duration);
  members.real_if_set("expiration", job.expiration);
  members.text_if_set("name", job.name);
  members.text_if_set("cwd", job.cwd);
  members.text_if_set("queue", job.queue);
  members.text_if_set("project", job.project);
  members.text_if_set("bank", job.bank);
  members.text_if_set("qos", job.qos);
  members.count_if_set("ntasks", job.ntasks);
  members.count_if_set("ncores", size.ncores);
  members.count_if_set("ngpus", size.ngpus);
  members.count_if_set("nnodes", size.nnodes);
  if (has_priority(job)) members.integer("priority", job.priority);
  members.text_if_set("ranks", job.ranks);
  members.text_if_set("nodelist", job.nodelist);
  if (result != job::Result::none) {
    members.truth("success", result == job::Result::completed);
    members.text("result", name(result));
  }
  if (job.finished) members.integer("waitstatus", job.wait_status);
  members.key("id") += fmt::format_int(job.id.value).c_str();
  members.real_if_set("t_submit", job.t_submit);
  members.real_if_set("t_remaining", remaining(job, row.now));
  members.text("state", name(job.state));
  members.text("username", user_name(job.userid));
  members.integer("userid", job.userid);
  members.integer("urgency", job.urgency);
  members.real_if_set("runtime", job::runtime(job, row.now));
  members.text("status", job::status(job));
  if (const auto code = return_code(job)) members.integer("returncode", *code);
  append_dependency_list(members.key("dependencies"), job, row.now);
  members.text("jobid", notation::to_f58(job.id));
  members.text_if_set("uri", row.uri);
  if (is_annotated(row)) {
    append_json(members.key("annotations"), annotations_of(row));
  } else {
    members.key("annotations") += "{}";
  }
  append_exception(members.key("exception"), job.exception);
  members.more(row.inside);
  members.close();
}

Value annotation(const JobRow& row, std::string_view path, std::string& scratch) {
  if (path == "sched.t_estimate" && row.t_estimate) return *row.t_estimate;
  if (path == "sched.reason_pending" && row.reason_pending) return std::string_view{*row.reason_pending};
  if (!is_annotated(row)) return {};
  const json all = annotations_of(row);
  const json* at = &all;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    if (!at->is_object()) return {};
    const auto member = at->find(path.substr(0, dot));
    if (member == at->end()) return {};
    at = &*member;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return to_value(*at, scratch);
}

}  // namespace fq::cli
