#include "cli/follow/output_reader.h"

#include <algorithm>
#include <variant>

#include <fmt/core.h>

#include "base/text.h"
#include "document/event/eventlog.h"

namespace fq::cli {
namespace {

std::string labelled(const document::OutputChunk& chunk) {
  std::string out;
  const std::string label = chunk.ranks.encode() + ": ";
  for (std::size_t at = 0; at < chunk.data.size();) {
    const std::size_t end = std::min(chunk.data.find('\n', at), chunk.data.size() - 1) + 1;
    out.append(label).append(chunk.data, at, end - at);
    at = end;
  }
  // A line of another task begins on a line of its own.
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

}  // namespace

void OutputReader::add(std::string_view bytes) {
  unread_ += bytes;
  const std::string_view whole = document::whole_lines(unread_);
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = whole.find('\n', at) + 1;
    read(document::decode_event(whole.substr(at, end - at)));
    at = end;
  }
  unread_.erase(0, whole.size());
}

void OutputReader::show_only(std::uint32_t rank, std::uint64_t from) {
  only_ = rank;
  skip_ = from;
}

void OutputReader::begin_again() {
  unread_.clear();
  decoder_ = {};
  left_out_.reset();
}

void OutputReader::read(const document::Event& event) {
  document::OutputDecoder::Item item = decoder_.decode(event);
  if (auto* chunk = std::get_if<document::OutputChunk>(&item)) {
    if (only_) {
      if (chunk->stream != "stdout" || !chunk->ranks.contains(*only_)) return;
      const std::size_t skipped = std::min<std::uint64_t>(skip_, chunk->data.size());
      skip_ -= skipped;
      chunk->data.erase(0, skipped);
      if (chunk->data.empty()) return;
    }
    if (left_out_ && chunk->ranks.contains(*left_out_)) return;
    write_(chunk->stream == "stderr" ? OutputTo::err : OutputTo::out,
           label_ ? labelled(*chunk) : chunk->data);
  } else if (const auto* log = std::get_if<document::OutputLog>(&item)) {
    constexpr int kWarning = 4;  // what is less than that is there because it was asked for
    if (!shows_messages_ || only_) return;
    write_(OutputTo::err, fmt::format("fq-shell: {}\n", printable(log->message)));
    if (log->level <= kWarning) last_message_ = log->message;
  } else if (const auto* redirect = std::get_if<document::OutputRedirect>(&item)) {
    if (!shows_redirects_ || only_) return;
    write_(OutputTo::err, fmt::format("{}: {} redirected to {}\n", redirect->ranks.encode(), redirect->stream,
                                      printable(redirect->path)));
  }
}

}  // namespace fq::cli
