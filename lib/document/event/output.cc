#include "document/event/output.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::document {

using nlohmann::json;
using notation::Idset;

namespace {

OutputEncoding read_encoding(const JsonAt& at) {
  const std::string& name = at.as_string();
  if (name == "UTF-8") return OutputEncoding::utf8;
  if (name == "base64") return OutputEncoding::base64;
  throw at.fail(fmt::format("expected 'UTF-8' or 'base64', got {}", quote(name)));
}

OutputHeader read_header(const JsonAt& context) {
  const JsonAt version = context.at("version");
  if (version.as_integer() != 1) throw version.fail(fmt::format("expected 1, got {}", version.as_integer()));
  const JsonAt encoding = context.at("encoding");
  const JsonAt count = context.at("count");
  context.at("options").object();
  OutputHeader header;
  for (const auto& [stream, value] : encoding.object().value().items()) {
    header.streams[stream].encoding = read_encoding(encoding.at(stream));
  }
  for (const auto& [stream, value] : count.object().value().items()) {
    const auto known = header.streams.find(stream);
    if (known == header.streams.end()) {
      throw count.fail(fmt::format("stream {} has no encoding", quote(stream)));
    }
    known->second.count = static_cast<std::uint64_t>(count.at(stream).as_integer(0, INT64_MAX));
  }
  return header;
}

/// The header's entry for the stream that `context` names.
std::pair<const std::string, OutputHeader::Stream> read_stream(const JsonAt& context,
                                                               const OutputHeader& header) {
  const JsonAt at = context.at("stream");
  const auto known = header.streams.find(at.as_string());
  if (known != header.streams.end()) return *known;
  std::vector<std::string> names;
  for (const auto& [name, stream] : header.streams) names.push_back(name);
  throw at.fail(fmt::format("stream {} is not in the header, which has {}", quote(at.as_string()),
                            names.empty() ? "none" : join(names, ", ")));
}

OutputRanks read_ranks(const JsonAt& at) {
  const std::string& text = at.as_string();
  try {
    return OutputRanks::decode(text);
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
}

bool read_eof(const JsonAt& at) {
  // RFC 24 says boolean, its example has a string: both are in logs.
  if (at.value() == "true") return true;
  if (at.value() == "false") return false;
  return at.as_boolean();
}

OutputChunk read_data(const JsonAt& context, const OutputHeader& header) {
  const auto [name, stream] = read_stream(context, header);
  OutputChunk chunk{name, read_ranks(context.at("rank")), {}, false};
  if (const auto eof = context.find("eof")) chunk.eof = read_eof(*eof);
  const auto data = context.find("data");
  if (!data) return chunk;
  OutputEncoding encoding = stream.encoding;
  if (const auto at = context.find("encoding")) encoding = read_encoding(*at);
  std::string once = data->as_string();
  if (encoding == OutputEncoding::base64) {
    try {
      once = decode_base64(once);
    } catch (const Error& failure) {
      throw failure.within(data->path());
    }
  }
  std::uint64_t copies = 1;
  if (const auto repeat = context.find("repeat")) {
    copies = static_cast<std::uint64_t>(repeat->as_integer(1, INT64_MAX));
    if (!once.empty() && copies > OutputDecoder::kMaxRepeated / once.size()) {
      throw repeat->fail(fmt::format("{} copies of {} bytes exceed {} bytes", copies, once.size(),
                                     OutputDecoder::kMaxRepeated));
    }
  }
  if (copies == 1 || once.empty()) {
    chunk.data = std::move(once);
    return chunk;
  }
  chunk.data.reserve(once.size() * copies);
  for (std::uint64_t i = 0; i < copies; ++i) chunk.data += once;
  return chunk;
}

OutputRedirect read_redirect(const JsonAt& context, const OutputHeader& header) {
  OutputRedirect redirect{read_stream(context, header).first, {}, {}};
  // RFC 24 requires the rank, its example has none.
  if (const auto rank = context.find("rank"))
    redirect.ranks = read_ranks(*rank);
  else
    redirect.ranks.all = true;
  if (const auto path = context.find("path")) redirect.path = path->as_string();
  return redirect;
}

OutputLog read_log(const JsonAt& context) {
  OutputLog log;
  log.level = static_cast<int>(context.at("level").as_integer(0, 7));
  log.message = context.at("message").as_string();
  if (const auto rank = context.find("rank")) {
    log.rank = static_cast<std::uint32_t>(rank->as_integer(0, UINT32_MAX));
  }
  if (const auto line = context.find("line")) {
    log.line = static_cast<std::uint64_t>(line->as_integer(0, INT64_MAX));
  }
  for (const auto& [key, text] : {std::pair{"program", &log.program}, std::pair{"component", &log.component},
                                  std::pair{"file", &log.file}}) {
    if (const auto at = context.find(key)) *text = at->as_string();
  }
  return log;
}

/// How many bytes at the end of `text` begin a UTF-8 sequence that more bytes can complete: 0 to 3.
std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    const std::string_view tail = text.substr(text.size() - length);
    const auto lead = static_cast<unsigned char>(tail.front());
    if (lead < 0x80) return 0;
    if (lead < 0xc0) continue;
    const std::size_t whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (length >= whole) return 0;
    // Some leads restrict the byte after them; one of these two completes any sequence that has an end.
    for (const char filler : {'\x80', '\xa0'}) {
      if (is_valid_utf8(std::string{tail} + std::string(whole - length, filler))) return length;
    }
    return 0;
  }
  return 0;
}

}  // namespace

std::string_view to_string(OutputEncoding encoding) {
  return encoding == OutputEncoding::base64 ? "base64" : "UTF-8";
}

OutputRanks OutputRanks::decode(std::string_view text) {
  if (text == "all") return {true, {}};
  return {false, Idset::decode(text)};
}

std::string OutputRanks::encode() const {
  return all ? "all" : ids.encode();
}

bool OutputRanks::contains(std::uint32_t rank) const {
  return all || ids.contains(rank);
}

OutputHeader OutputHeader::for_tasks(std::uint64_t ntasks) {
  OutputHeader header;
  header.streams["stdout"].count = ntasks;
  header.streams["stderr"].count = ntasks;
  return header;
}

// ---- events

Event output_header_event(double timestamp, const OutputHeader& header) {
  json encoding = json::object();
  json count = json::object();
  for (const auto& [name, stream] : header.streams) {
    encoding[name] = to_string(stream.encoding);
    count[name] = stream.count;
  }
  return {timestamp,
          "header",
          {{"version", 1},
           {"encoding", std::move(encoding)},
           {"count", std::move(count)},
           {"options", json::object()}},
          {}};
}

namespace {

/// Whether JSON text is the shorter form: UTF-8 with few control characters, which take six bytes each there.
bool fits_text(const std::string& data) {
  if (!is_valid_utf8(data)) return false;
  const auto escaped = std::count_if(data.begin(), data.end(), [](unsigned char c) {
    return c < 0x20 && c != '\n' && c != '\t' && c != '\r';
  });
  return static_cast<std::size_t>(escaped) * 15 <= data.size();
}

}  // namespace

Event output_data_event(double timestamp, const OutputChunk& chunk, OutputEncoding stream_default,
                        std::uint64_t repeat) {
  json context = {{"stream", chunk.stream}, {"rank", chunk.ranks.encode()}};
  if (!chunk.data.empty()) {
    const OutputEncoding encoding = fits_text(chunk.data) ? stream_default : OutputEncoding::base64;
    context["data"] = encoding == OutputEncoding::base64 ? encode_base64(chunk.data) : chunk.data;
    if (encoding != stream_default) context["encoding"] = to_string(encoding);
    if (repeat > 1) context["repeat"] = repeat;
  }
  if (chunk.eof) context["eof"] = true;
  return {timestamp, "data", std::move(context), {}};
}

Event output_redirect_event(double timestamp, const OutputRedirect& redirect) {
  json context = {{"stream", redirect.stream}, {"rank", redirect.ranks.encode()}};
  if (!redirect.path.empty()) context["path"] = redirect.path;
  return {timestamp, "redirect", std::move(context), {}};
}

Event output_log_event(double timestamp, const OutputLog& log) {
  json context = {{"level", log.level}, {"message", log.message}};
  if (log.rank) context["rank"] = *log.rank;
  if (log.line) context["line"] = *log.line;
  for (const auto& [key, text] : {std::pair{"program", &log.program}, std::pair{"component", &log.component},
                                  std::pair{"file", &log.file}}) {
    if (!text->empty()) context[key] = *text;
  }
  return {timestamp, "log", std::move(context), {}};
}

// ---- the encoder

OutputEncoder::OutputEncoder(std::string stream, Idset ranks, OutputEncoding stream_default)
    : stream_(std::move(stream)), ranks_(std::move(ranks)), default_(stream_default) {}

OutputChunk OutputEncoder::chunk(std::string_view data, bool eof) const {
  return {stream_, {false, ranks_}, std::string{data}, eof};
}

std::vector<Event> OutputEncoder::write(double timestamp, std::string_view bytes) {
  const std::string all = std::exchange(tail_, {}).append(bytes);
  std::string_view rest = all;
  if (default_ == OutputEncoding::utf8) {
    tail_ = rest.substr(rest.size() - incomplete_tail(rest));
    rest.remove_suffix(tail_.size());
  }
  std::vector<Event> events;
  while (!rest.empty()) {
    std::size_t length = std::min(rest.size(), kMaxData);
    if (default_ == OutputEncoding::utf8 && length < rest.size())
      length -= incomplete_tail(rest.substr(0, length));
    events.push_back(output_data_event(timestamp, chunk(rest.substr(0, length), false), default_));
    rest.remove_prefix(length);
  }
  return events;
}

std::vector<Event> OutputEncoder::close(double timestamp) {
  return {output_data_event(timestamp, chunk(std::exchange(tail_, {}), true), default_)};
}

// ---- the decoder

OutputDecoder::Item OutputDecoder::decode(const Event& event) {
  const bool known =
      event.name == "header" || event.name == "data" || event.name == "redirect" || event.name == "log";
  if (!known) return {};
  if ((event.name == "header") == header_.has_value()) {
    throw error(
        Kind::invalid, "output: {}",
        header_ ? "a second 'header' event" : fmt::format("a {} event before the header", quote(event.name)));
  }
  const JsonAt context{event.context, fmt::format("output: {}", event.name)};
  if (event.name == "log") return read_log(context);
  if (event.name == "header") {
    header_ = read_header(context);
    return *header_;
  }
  const auto end = [this](const std::string& stream, const OutputRanks& ranks) {
    OutputRanks& ended = ended_[stream];
    ended.all = ended.all || ranks.all;
    ended.ids = ended.ids.unite(ranks.ids);
  };
  if (event.name == "redirect") {
    OutputRedirect redirect = read_redirect(context, *header_);
    end(redirect.stream, redirect.ranks);
    return redirect;
  }
  OutputChunk chunk = read_data(context, *header_);
  if (chunk.eof) end(chunk.stream, chunk.ranks);
  return chunk;
}

bool OutputDecoder::finished() const {
  if (!header_) return false;
  return std::all_of(header_->streams.begin(), header_->streams.end(), [this](const auto& entry) {
    const auto& [name, stream] = entry;
    if (stream.count == 0) return true;
    const auto ended = ended_.find(name);
    return ended != ended_.end() && (ended->second.all || ended->second.ids.count() >= stream.count);
  });
}

}  // namespace fq::document
