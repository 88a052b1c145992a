#include "cli/jobs/job_rows.h"

#include <span>
#include <string_view>
#include <utility>

#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_json.h"
#include "cli/list/listing.h"
#include "door/door.h"
#include "request/find_job.h"
#include "request/job_list.h"

namespace fq::cli {

JobRowsWriter::JobRowsWriter(Format<JobRow> format, std::vector<SortKey> keys, Form form, Spool& out)
    : format_(std::move(format)),
      keys_(std::move(keys)),
      form_(form),
      out_(out),
      measures_(form != Form::json && format_.depends_on_rows()) {
  if (!keys_.empty()) ordered_.emplace(keys_);
  if (!measures_) begin();
}

void JobRowsWriter::begin() {
  if (form_ == Form::json) return;
  const bool headed = form_ == Form::text_with_headings;
  format_.settle(headed);
  if (headed) format_.append_header(out_.text());
}

void JobRowsWriter::add(const JobRow& row) {
  if (measures_) return format_.measure(row);
  text_.clear();
  if (form_ == Form::json) {
    append_job_json(text_, row);
  } else {
    format_.append_row(text_, row);
  }
  if (ordered_) {
    ordered_->add(sort_values(row, std::span<const SortKey>(keys_), job_fields(), scratch_), text_);
  } else {
    write(text_);
  }
}

void JobRowsWriter::write(std::string_view text) {
  if (form_ == Form::json && count_ > 0) out_.text() += ',';
  out_.text() += text;
  out_.relieve();
  ++count_;
}

bool JobRowsWriter::again() {
  if (!std::exchange(measures_, false)) return false;
  begin();
  return true;
}

std::size_t JobRowsWriter::finish() {
  if (ordered_) ordered_->visit([this](std::string_view text) { write(text); });
  return count_;
}

JobRowsWriter::Form rows_form(const ListingOptions& options) {
  if (options.json) return JobRowsWriter::Form::json;
  return options.no_header ? JobRowsWriter::Form::text : JobRowsWriter::Form::text_with_headings;
}

JobRow row_of(const request::ListedJob& listed, double now) {
  return {.job = &listed.job,
          .now = now,
          .t_estimate = listed.t_estimate,
          .reason_pending = listed.reason_pending,
          .behind = listed.behind,
          .uri = listed.instance.value_or(std::string{})};
}

void check_instance(request::ListedJob& listed, const InstanceCheck& is_there) {
  if (listed.instance && is_there && !is_there(listed.job, *listed.instance)) listed.instance.reset();
}

std::size_t write_rows(const door::Door& door, const JobChoice& choice, const Format<JobRow>& format,
                       const ListingOptions& options, Spool& out) {
  using Form = JobRowsWriter::Form;
  const Form form = rows_form(options);
  std::optional<JobRowsWriter> writer;
  std::size_t left = 0;
  double now = 0;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&& head) {
    now = head.now;
    left = choice.most;
    out.clear();
    if (form == Form::json) out.text() += "{\"jobs\":[";
    writer.emplace(format, sort_keys(options, format, job_fields()), form, out);
  };
  rows.row = [&](request::ListedJob&& job) {
    if (choice.keep && !choice.keep(job.job)) return true;
    check_instance(job, choice.has_instance);
    writer->add(row_of(job, now));
    return --left > 0;
  };
  rows.again = [&] {
    left = choice.most;
    return writer->again();
  };
  request::JobListRequest jobs = choice.jobs;
  jobs.instances = form == Form::json || wants_instances(format, sort_keys(options, format, job_fields()));
  door.ask(jobs, rows);
  const std::size_t count = writer->finish();
  if (form == Form::json) out.text() += "]}\n";
  return count;
}

}  // namespace fq::cli
