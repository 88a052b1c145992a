#include "records/pending_order.h"

#include <algorithm>
#include <tuple>

#include "priority/scheme.h"

namespace fq::records {

using store::Family;

std::vector<JobClass> read_classes(const store::Reader& reader,
                                   const std::function<bool(const JobClass&)>& admit) {
  std::vector<JobClass> classes;
  for (const auto at = reader.scan_prefix(Family::instance, key::kClassPrefix); at->valid(); at->next()) {
    JobClass c = decode_class(at->key(), at->value());
    if (admit(c)) classes.push_back(std::move(c));
  }
  return classes;
}

bool is_eligible(Queues& queues, const JobClass& c) {
  return c.urgency != job::kUrgencyHold && queues.may_start_jobs(c.queue);
}

PendingOrder::PendingOrder(const store::Reader& reader, Queues& queues, std::vector<JobClass> classes,
                           double now)
    : reader_(&reader), priorities_(reader, queues, now) {
  streams_.reserve(classes.size());
  for (JobClass& c : classes) {
    const std::uint64_t time = c.head_time;
    const JobId head = c.head;
    const Queues::Scheduling* queue = queues.scheduling(c.queue);
    const bool held = priority::is_held(c.urgency);
    const std::uint16_t tier = queue == nullptr || held ? std::uint16_t{0} : queue->tier;
    streams_.push_back({std::move(c), tier, priority::kHeld, time, head, nullptr});
    set_priority(streams_.back());
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) heap_.push_back(i);
  std::make_heap(heap_.begin(), heap_.end(), [this](auto a, auto b) { return after(a, b); });
}

bool PendingOrder::after(std::size_t a, std::size_t b) const {
  const Stream& x = streams_[a];
  const Stream& y = streams_[b];
  return std::tuple{y.tier, y.priority, x.time, x.id} > std::tuple{x.tier, x.priority, y.time, y.id};
}

void PendingOrder::set_priority(Stream& stream) {
  stream.priority = priorities_.of(stream.job_class, stream.time);
}

bool PendingOrder::advance(Stream& stream) {
  if (!stream.cursor) {
    const std::string prefix = key::pending_prefix(stream.job_class.id);
    stream.cursor = reader_->scan_prefix(Family::index, prefix);
    // The caller may have taken the head out of its class by now.
    if (stream.cursor->valid() && key::indexed_job(stream.cursor->key()) == stream.id) stream.cursor->next();
  }
  if (!stream.cursor->valid()) return false;
  stream.time = key::indexed_time(stream.cursor->key());
  stream.id = key::indexed_job(stream.cursor->key());
  stream.cursor->next();
  set_priority(stream);
  return true;
}

std::optional<PendingOrder::Entry> PendingOrder::next() {
  const auto order = [this](auto a, auto b) { return after(a, b); };
  if (last_in_heap_) {
    // The stream served last is on top still: moved on only now, so that a caller who stops reads no further.
    std::pop_heap(heap_.begin(), heap_.end(), order);
    if (advance(streams_[heap_.back()])) {
      std::push_heap(heap_.begin(), heap_.end(), order);
    } else {
      heap_.pop_back();
    }
    last_in_heap_ = false;
  }
  if (heap_.empty()) return std::nullopt;
  const Stream& first = streams_[heap_.front()];
  last_in_heap_ = true;
  return Entry{first.id, first.priority, first.time, &first.job_class};
}

void PendingOrder::skip_class() {
  if (!last_in_heap_) return;
  std::pop_heap(heap_.begin(), heap_.end(), [this](auto a, auto b) { return after(a, b); });
  heap_.pop_back();
  last_in_heap_ = false;
}

}  // namespace fq::records
