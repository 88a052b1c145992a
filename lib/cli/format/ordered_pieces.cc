#include "cli/format/ordered_pieces.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "base/error.h"

// A piece in the file:
//
//   piece   size:u32 {value} text        size is that of what follows it
//   value   rank:i32 number:f64 length:u32 bytes

namespace fq::cli {
namespace {

template <typename Number>
void put(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

template <typename Number>
Number take(std::string_view& from) {
  Number number;
  std::memcpy(&number, from.data(), sizeof number);
  from.remove_prefix(sizeof number);
  return number;
}

}  // namespace

/// The pieces of one sorted stretch of the file, one after the other.
class OrderedPieces::Run {
 public:
  Run(int fd, std::size_t begin, std::size_t end, std::size_t values)
      : fd_(fd), at_(begin), end_(end), values_(values) {}

  /// Reads the next piece; false at the end.
  bool next() {
    std::uint32_t size = 0;
    if (!need(sizeof size)) return false;
    size = take<std::uint32_t>(rest_);
    if (!need(size)) throw error(Kind::internal, "a temporary file ends in the middle of a piece");
    std::string_view whole = rest_.substr(0, size);
    rest_.remove_prefix(size);
    piece_.values.resize(values_, SortValue{Value{}});
    for (SortValue& value : piece_.values) {
      value.rank = take<std::int32_t>(whole);
      value.number = take<double>(whole);
      const auto length = take<std::uint32_t>(whole);
      value.text = whole.substr(0, length);
      whole.remove_prefix(length);
    }
    piece_.text = whole;
    return true;
  }
  [[nodiscard]] const Piece& piece() const { return piece_; }

 private:
  /// Sees to it that `size` bytes are in rest_; false where the run has no more.
  bool need(std::size_t size) {
    constexpr std::size_t kAtOnce = 64U << 10U;
    if (rest_.size() >= size) return true;
    std::string bytes{rest_};
    const std::size_t wanted = std::min(std::max(size, kAtOnce), bytes.size() + (end_ - at_));
    while (bytes.size() < wanted) {
      const std::size_t had = bytes.size();
      bytes.resize(wanted);
      const ssize_t n = ::pread(fd_, bytes.data() + had, wanted - had, static_cast<off_t>(at_));
      if (n <= 0) throw system_error("cannot read a temporary file", n == 0 ? EIO : errno);
      bytes.resize(had + static_cast<std::size_t>(n));
      at_ += static_cast<std::size_t>(n);
    }
    buffer_ = std::move(bytes);
    rest_ = buffer_;
    return rest_.size() >= size;
  }

  int fd_;
  std::size_t at_, end_, values_;
  std::string buffer_;
  std::string_view rest_;  ///< of buffer_
  Piece piece_;
};

OrderedPieces::OrderedPieces(std::vector<SortKey> keys, std::size_t in_memory)
    : keys_(std::move(keys)), in_memory_(in_memory) {}

OrderedPieces::~OrderedPieces() = default;

bool OrderedPieces::is_before(const Piece& a, const Piece& b) const {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const int compared = a.values[k].compare(b.values[k]);
    if (compared != 0) return (compared < 0) != keys_[k].descending;
  }
  return false;
}

void OrderedPieces::add(std::vector<SortValue> values, std::string_view text) {
  bytes_ += sizeof(Piece) + text.size();
  for (const SortValue& value : values) bytes_ += sizeof value + value.text.capacity();
  pieces_.push_back({std::move(values), std::string{text}});
  if (bytes_ >= in_memory_) store();
}

void OrderedPieces::sort() {
  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [this](const Piece& a, const Piece& b) { return is_before(a, b); });
}

void OrderedPieces::store() {
  sort();
  if (!file_) file_.reset(std::tmpfile());
  std::size_t end = ends_.empty() ? 0 : ends_.back();
  std::string out, body;
  for (const Piece& piece : pieces_) {
    body.clear();
    for (const SortValue& value : piece.values) {
      put(body, static_cast<std::int32_t>(value.rank));
      put(body, value.number);
      put(body, static_cast<std::uint32_t>(value.text.size()));
      body += value.text;
    }
    body += piece.text;
    out.clear();
    put(out, static_cast<std::uint32_t>(body.size()));
    out += body;
    if (!file_ || std::fwrite(out.data(), 1, out.size(), file_.get()) != out.size()) {
      throw system_error("cannot keep a long output in a temporary file", errno);
    }
    end += out.size();
  }
  if (std::fflush(file_.get()) != 0) {
    throw system_error("cannot keep a long output in a temporary file", errno);
  }
  ends_.push_back(end);
  pieces_.clear();
  bytes_ = 0;
}

void OrderedPieces::visit(const std::function<void(std::string_view)>& take) {
  if (!ends_.empty() && !pieces_.empty()) store();
  if (!ends_.empty()) return merge(take);
  sort();
  for (const Piece& piece : pieces_) take(piece.text);
}

void OrderedPieces::merge(const std::function<void(std::string_view)>& take) {
  std::vector<std::unique_ptr<Run>> runs;
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    runs.push_back(std::make_unique<Run>(::fileno(file_.get()), begin, end, keys_.size()));
    begin = end;
  }
  // A heap of runs by their next pieces; of equal ones the earlier run is the first.
  std::vector<std::size_t> heap;
  const auto is_after = [&](std::size_t a, std::size_t b) {
    if (is_before(runs[b]->piece(), runs[a]->piece())) return true;
    return b < a && !is_before(runs[a]->piece(), runs[b]->piece());
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->next()) heap.push_back(i);
  }
  std::make_heap(heap.begin(), heap.end(), is_after);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), is_after);
    Run& first = *runs[heap.back()];
    take(first.piece().text);
    if (first.next()) {
      std::push_heap(heap.begin(), heap.end(), is_after);
    } else {
      heap.pop_back();
    }
  }
}

}  // namespace fq::cli
