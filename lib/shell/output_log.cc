#include "shell/output_log.h"

#include <filesystem>

#include <fmt/core.h>

#include "base/error.h"
#include "base/file.h"

namespace fq::shell {

using notation::Idset;

namespace {

// Events are gathered to this size before they are written: one system call for many small ones.
constexpr std::size_t kBatch = 256U << 10;

}  // namespace

std::string_view stream_name(Stream stream) {
  return stream == Stream::out ? "stdout" : "stderr";
}

std::string limit_message(Stream stream, std::uint64_t limit) {
  return fmt::format("{} exceeds {} bytes, the limit of what is kept: the rest is left out",
                     stream_name(stream), limit);
}

GuestOutputLog::GuestOutputLog(const meeting::JobFiles& files, notation::JobId id, const Clock& clock,
                               std::uint32_t ntasks)
    : clock_(clock), log_(files.output(id), true), encoders_(std::size_t{2} * ntasks) {
  append(document::output_header_event(clock_.now(), document::OutputHeader::for_tasks(ntasks)));
}

document::OutputEncoder& GuestOutputLog::encoder(std::uint32_t task, Stream stream) {
  auto& found = encoders_[std::size_t{2} * task + (stream == Stream::out ? 0 : 1)];
  if (!found) found.emplace(std::string{stream_name(stream)}, Idset{task});
  return *found;
}

bool GuestOutputLog::write(std::uint32_t task, Stream stream, std::string_view bytes, std::uint64_t limit) {
  std::uint64_t& logged = logged_[stream == Stream::out ? 0 : 1];
  if (logged > limit) return false;
  if (bytes.size() > limit - logged) {
    bytes = bytes.substr(0, limit - logged);
    logged = limit + 1;
  } else {
    logged += bytes.size();
  }
  for (const document::Event& event : encoder(task, stream).write(clock_.now(), bytes)) append(event);
  return logged > limit;
}

void GuestOutputLog::close(std::uint32_t task, Stream stream) {
  for (const document::Event& event : encoder(task, stream).close(clock_.now())) append(event);
}

void GuestOutputLog::redirect(Stream stream, const Idset& tasks, const std::string& path) {
  append(document::output_redirect_event(
      clock_.now(), {std::string{stream_name(stream)}, document::OutputRanks{false, tasks}, path}));
}

void GuestOutputLog::message(int level, std::string_view text) {
  has_messages_ = true;
  document::OutputLog entry;
  entry.level = level;
  entry.message = text;
  entry.rank = 0;
  entry.program = "fq-shell";
  append(document::output_log_event(clock_.now(), entry));
}

void GuestOutputLog::append(const document::Event& event) {
  document::append_event(batch_, event);
  if (batch_.size() >= kBatch) write_batch();
}

void GuestOutputLog::write_batch() {
  // The log is where failures would be told, so that its own leaves only silence.
  try {
    if (!failed_) log_.append(batch_);
  } catch (const Error&) {
    failed_ = true;
  }
  batch_.clear();
}

void GuestOutputLog::flush() {
  write_batch();
}

void GuestOutputLog::give_up() {
  write_batch();
  if (log_.kept() == 0) return;
  try {
    log_.drop_kept();
  } catch (const Error&) {
    failed_ = true;
  }
}

bool GuestOutputLog::sync() {
  if (logged_[0] + logged_[1] == 0 && !has_messages_) return !failed_;
  try {
    log_.sync();
    sync_directory(std::filesystem::path(log_.path()).parent_path().string());
  } catch (const Error&) {
    failed_ = true;
  }
  return !failed_;
}

}  // namespace fq::shell
