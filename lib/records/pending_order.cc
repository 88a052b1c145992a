#include "records/pending_order.h"

#include <algorithm>
#include <limits>
#include <set>
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
                           double now, TurnAfter turn)
    : reader_(&reader), queues_(&queues), priorities_(reader, queues, now), turn_(turn) {
  cursors_.reserve(classes.size());
  for (JobClass& c : classes) {
    const std::uint64_t time = c.head_time;
    const JobId head = c.head;
    cursors_.push_back({std::move(c), priority::kHeld, time, head, nullptr});
    set_priority(cursors_.back());
    lane_of(cursors_.back().job_class).heap.push_back(cursors_.size() - 1);
  }
  for (Lane& lane : lanes_)
    std::make_heap(lane.heap.begin(), lane.heap.end(), [this](auto a, auto b) { return after(a, b); });
  std::set<std::string_view> streams;
  for (const Lane& lane : lanes_) {
    if (lane.kind == Lane::Kind::by_turn) streams.insert(lane.stream);
  }
  if (streams.size() > 1) turns_.emplace(reader);
}

const std::string& PendingOrder::stream(const std::string& queue) {
  const auto known = streams_.find(queue);
  if (known != streams_.end()) return known->second;
  return streams_.emplace(queue, stream_of(priorities_.facts().parameters(queue))).first->second;
}

PendingOrder::Lane& PendingOrder::lane_of(const JobClass& c) {
  static const std::string kNone;
  auto kind = Lane::Kind::by_turn;
  if (priority::is_held(c.urgency)) kind = Lane::Kind::held;
  if (priority::is_expedited(c.urgency)) kind = Lane::Kind::expedited;
  const Queues::Scheduling* queue = kind == Lane::Kind::held ? nullptr : queues_->scheduling(c.queue);
  const std::uint16_t tier = queue == nullptr ? std::uint16_t{0} : queue->tier;
  const std::string& of = kind == Lane::Kind::by_turn ? stream(c.queue) : kNone;
  const auto known = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    return lane.kind == kind && lane.tier == tier && lane.stream == of;
  });
  if (known != lanes_.end()) return *known;
  return lanes_.emplace_back(Lane{kind, tier, of, {}});
}

// Of lanes there are few.
PendingOrder::Lane* PendingOrder::first_lane() {
  const auto place = [&](const Lane& lane) {
    const bool held = lane.kind == Lane::Kind::held;
    const std::uint64_t turn =
        turns_ && lane.kind == Lane::Kind::by_turn ? turns_->of(lane.stream) : std::uint64_t{0};
    return std::tuple{held, std::numeric_limits<std::uint16_t>::max() - lane.tier, lane.kind, turn,
                      std::string_view{lane.stream}};
  };
  Lane* first = nullptr;
  for (Lane& lane : lanes_) {
    if (!lane.heap.empty() && (first == nullptr || place(lane) < place(*first))) first = &lane;
  }
  return first;
}

bool PendingOrder::after(std::size_t a, std::size_t b) const {
  const ClassCursor& x = cursors_[a];
  const ClassCursor& y = cursors_[b];
  return std::tuple{y.priority, x.time, x.id} > std::tuple{x.priority, y.time, y.id};
}

void PendingOrder::set_priority(ClassCursor& cursor) {
  cursor.priority = priorities_.of(cursor.job_class, cursor.time);
}

bool PendingOrder::advance(ClassCursor& cursor) {
  if (!cursor.cursor) {
    const std::string prefix = key::pending_prefix(cursor.job_class.id);
    cursor.cursor = reader_->scan_prefix(Family::index, prefix);
    // The caller may have taken the head out of its class by now.
    if (cursor.cursor->valid() && key::indexed_job(cursor.cursor->key()) == cursor.id) cursor.cursor->next();
  }
  if (!cursor.cursor->valid()) return false;
  cursor.time = key::indexed_time(cursor.cursor->key());
  cursor.id = key::indexed_job(cursor.cursor->key());
  cursor.cursor->next();
  set_priority(cursor);
  return true;
}

// Moves the class served last on: only when the next one is asked for, so that who stops reads no further.
void PendingOrder::leave_last() {
  if (!last_) return;
  std::vector<std::size_t>& heap = lanes_[*last_].heap;
  const auto order = [this](auto a, auto b) { return after(a, b); };
  std::pop_heap(heap.begin(), heap.end(), order);
  if (advance(cursors_[heap.back()])) {
    std::push_heap(heap.begin(), heap.end(), order);
  } else {
    heap.pop_back();
  }
  last_.reset();
}

std::optional<PendingOrder::Entry> PendingOrder::next() {
  leave_last();
  Lane* lane = first_lane();
  if (lane == nullptr) return std::nullopt;
  const ClassCursor& first = cursors_[lane->heap.front()];
  last_ = static_cast<std::size_t>(lane - lanes_.data());
  if (turn_ == TurnAfter::each_job && turns_ && lane->kind == Lane::Kind::by_turn) turns_->take(lane->stream);
  return Entry{first.id, first.priority, first.time, &first.job_class};
}

void PendingOrder::skip_class() {
  if (!last_) return;
  std::vector<std::size_t>& heap = lanes_[*last_].heap;
  std::pop_heap(heap.begin(), heap.end(), [this](auto a, auto b) { return after(a, b); });
  heap.pop_back();
  last_.reset();
}

void PendingOrder::started(std::string_view queue) {
  if (!turns_) return;
  turns_->take(stream(std::string{queue}));
  turn_taken_ = true;
}

void PendingOrder::write_turns(store::Transaction& transaction) const {
  if (turn_taken_) turns_->write(transaction);
}

}  // namespace fq::records
