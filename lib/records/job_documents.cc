#include "records/job_documents.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "document/event/eventlog.h"
#include "records/keys.h"

namespace fq::records {

using store::Family;

namespace {

constexpr std::string_view kPrefix = "job.";
constexpr std::size_t kIdLength = 4 + 19;  // "job." and "0000.0000.0000.0000"

// What a job wrote, most of what a store has: passed over unread.
constexpr std::string_view kGuest = "guest.";
constexpr std::string_view kData = "data.";

// The job of a key, if its form is right.
std::optional<notation::JobId> owner(std::string_view key) {
  if (key.size() <= kIdLength + 1 || key[kIdLength] != '.') return std::nullopt;
  try {
    const notation::JobId id = notation::parse_job_id(key.substr(0, kIdLength));
    return key.starts_with(key::job_directory(id)) ? std::optional{id} : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

JobDocumentCursor::JobDocumentCursor(const store::Reader& reader, notation::JobId from,
                                     std::function<void(std::string_view key)> strange, Measure measure)
    : at_(reader.scan(Family::kvs,
                      from == notation::JobId{} ? std::string{kPrefix} : key::job_directory(from),
                      store::prefix_end(kPrefix))),
      strange_(std::move(strange)),
      measure_(measure) {}

std::optional<JobDocuments> JobDocumentCursor::next() {
  std::optional<JobDocuments> documents;
  while (at_->valid()) {
    const std::string_view key = at_->key();
    const auto id = owner(key);
    if (!id) {
      if (strange_) strange_(key);
      at_->next();
      continue;
    }
    if (documents && documents->id != *id) break;
    if (!documents) documents.emplace().id = *id;
    const std::string_view name = key.substr(kIdLength + 1);
    if (measure_ == Measure::yes) documents->bytes += at_->value().size();
    if (name.starts_with(kGuest) && measure_ == Measure::no) {
      at_->seek(store::prefix_end(key.substr(0, kIdLength + 1 + kGuest.size())));
      continue;
    }
    if (name == "jobspec") documents->jobspec = at_->value();
    if (name == "eventlog") documents->eventlog = at_->value();
    if (name == "R") documents->r = at_->value();
    if (name == "J") documents->J = at_->value();
    if (name.starts_with(kData) && name.substr(kData.size()) == key::kFilesService)
      documents->files = at_->value();
    at_->next();
  }
  return documents;
}

bool is_unfinished_submission(std::string_view eventlog) {
  if (std::count(eventlog.begin(), eventlog.end(), '\n') != 1 || eventlog.back() != '\n') return false;
  try {
    return document::decode_event(eventlog).name == "submit";
  } catch (const Error&) {
    return false;
  }
}

}  // namespace fq::records
