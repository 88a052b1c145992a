#include "records/pending_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "priority/scheme.h"

namespace fq::records {

using store::Family;

void visit_classes(const store::Reader& reader, const std::function<void(JobClass&&)>& visit) {
  for (const auto at = reader.scan_prefix(Family::instance, key::kClassPrefix); at->valid(); at->next())
    visit(decode_class(at->key(), at->value()));
}

JobClasses read_classes(const store::Reader& reader, const std::function<bool(const JobClass&)>& admit) {
  JobClasses classes;
  visit_classes(reader, [&](JobClass&& c) {
    if (admit(c)) classes.push_back(std::move(c));
  });
  return classes;
}

bool is_eligible(Queues& queues, const JobClass& c) {
  return c.urgency != job::kUrgencyHold && queues.may_start_jobs(c.queue);
}

PendingOrder::PendingOrder(const store::Reader& reader, Queues& queues, JobClasses classes, double now,
                           TurnAfter turn)
    : reader_(&reader),
      queues_(&queues),
      priorities_(reader, queues, now),
      turn_(turn),
      classes_(std::move(classes)),
      cursors_(classes_.size()) {
  std::uint32_t of = 0;
  for (const JobClass& c : classes_) {
    Next first{priority::kHeld, of++, c.head_time, c.head};
    set_priority(first);
    lane_of(c).heap.push_back(first);
  }
  for (Lane& lane : lanes_) std::make_heap(lane.heap.begin(), lane.heap.end(), after);
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

bool PendingOrder::after(const Next& a, const Next& b) {
  return std::tie(b.priority, a.time, a.id) > std::tie(a.priority, b.time, b.id);
}

void PendingOrder::set_priority(Next& next) {
  next.priority = priorities_.of(classes_[next.of], next.time);
}

bool PendingOrder::advance(Next& next) {
  std::unique_ptr<store::Cursor>& at = cursors_[next.of];
  if (!at) {
    at = reader_->scan_prefix(Family::index, key::pending_prefix(classes_[next.of].id));
    // The caller may have taken the head out of its class by now.
    if (at->valid() && key::indexed_job(at->key()) == next.id) at->next();
  }
  if (!at->valid()) return false;
  next.time = key::indexed_time(at->key());
  next.id = key::indexed_job(at->key());
  at->next();
  set_priority(next);
  return true;
}

// Moves the class served last on: only when the next one is asked for, so that who stops reads no further.
void PendingOrder::leave_last() {
  if (!last_) return;
  std::vector<Next>& heap = lanes_[*last_].heap;
  std::pop_heap(heap.begin(), heap.end(), after);
  if (advance(heap.back())) {
    std::push_heap(heap.begin(), heap.end(), after);
  } else {
    heap.pop_back();
  }
  last_.reset();
}

std::optional<PendingOrder::Entry> PendingOrder::next() {
  leave_last();
  Lane* lane = first_lane();
  if (lane == nullptr) return std::nullopt;
  const Next& first = lane->heap.front();
  last_ = static_cast<std::size_t>(lane - lanes_.data());
  if (turn_ == TurnAfter::each_job && turns_ && lane->kind == Lane::Kind::by_turn) turns_->take(lane->stream);
  return Entry{first.id, first.priority, first.time, &classes_[first.of]};
}

void PendingOrder::skip_class() {
  if (!last_) return;
  std::vector<Next>& heap = lanes_[*last_].heap;
  std::pop_heap(heap.begin(), heap.end(), after);
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
