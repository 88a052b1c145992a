// The standard I/O of a job as an event log (RFC 24, version 1): `header`, `data`, `redirect` and `log`
// events, the encoder that cuts a byte stream into them and the decoder that gives the bytes back.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "document/event/eventlog.h"
#include "notation/idset.h"

namespace fq::document {

/// How bytes stand in a JSON string.
enum class OutputEncoding {
  utf8,    ///< as they are: `UTF-8`
  base64,  ///< RFC 4648 with padding: `base64`
};
[[nodiscard]] std::string_view to_string(OutputEncoding encoding);

/// The task ranks that an event concerns. `all` is every rank of the job, whatever its size.
struct OutputRanks {
  bool all = false;
  notation::Idset ids;  ///< empty when `all`

  /// `all` or an idset. Throws Error{invalid}.
  [[nodiscard]] static OutputRanks decode(std::string_view text);
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] bool contains(std::uint32_t rank) const;

  friend bool operator==(const OutputRanks&, const OutputRanks&) = default;
};

/// The first event of the log.
struct OutputHeader {
  struct Stream {
    OutputEncoding encoding = OutputEncoding::utf8;
    std::uint64_t count = 0;  ///< writers that will each send one end of stream

    friend bool operator==(const Stream&, const Stream&) = default;
  };
  std::map<std::string, Stream, std::less<>> streams;

  /// stdout and stderr of `ntasks` tasks, both UTF-8.
  [[nodiscard]] static OutputHeader for_tasks(std::uint64_t ntasks);
  friend bool operator==(const OutputHeader&, const OutputHeader&) = default;
};

/// Bytes that tasks wrote, or the end of their stream, or both. Repeated copies are written out.
struct OutputChunk {
  std::string stream;
  OutputRanks ranks;
  std::string data;
  bool eof = false;

  friend bool operator==(const OutputChunk&, const OutputChunk&) = default;
};

/// The stream goes elsewhere from here on.
struct OutputRedirect {
  std::string stream;
  OutputRanks ranks;
  std::string path;  ///< empty when not known

  friend bool operator==(const OutputRedirect&, const OutputRedirect&) = default;
};

/// A message of a shell. Level as in RFC 5424: 0 emergency … 7 debug.
struct OutputLog {
  int level = 6;
  std::string message;
  std::optional<std::uint32_t> rank;  ///< the shell's rank
  std::string program;                ///< empty where it is the default
  std::string component;
  std::string file;
  std::optional<std::uint64_t> line;

  friend bool operator==(const OutputLog&, const OutputLog&) = default;
};

// Events, to be written with encode_event. `timestamp` is seconds since the epoch.
[[nodiscard]] Event output_header_event(double timestamp, const OutputHeader& header);
/// `repeat` copies of the chunk's data. The encoding is named where it differs from `stream_default`: data
/// that is not UTF-8 goes as base64 whatever the default. REQUIRES repeat >= 1.
[[nodiscard]] Event output_data_event(double timestamp, const OutputChunk& chunk,
                                      OutputEncoding stream_default = OutputEncoding::utf8,
                                      std::uint64_t repeat = 1);
[[nodiscard]] Event output_redirect_event(double timestamp, const OutputRedirect& redirect);
[[nodiscard]] Event output_log_event(double timestamp, const OutputLog& log);

/// Cuts what one task writes to one stream into data events. A UTF-8 sequence that a read splits is held back
/// until the rest comes, so that text stays readable in the log; bytes that can never become UTF-8 go as
/// base64.
class OutputEncoder {
 public:
  /// An event's data is at most this long, so that no log line grows without bound.
  static constexpr std::size_t kMaxData = 65536;

  OutputEncoder(std::string stream, notation::Idset ranks,
                OutputEncoding stream_default = OutputEncoding::utf8);

  /// The events for the next bytes; none when all are held back.
  [[nodiscard]] std::vector<Event> write(double timestamp, std::string_view bytes);
  /// What was held back, and the end of the stream. Nothing may be written after.
  [[nodiscard]] std::vector<Event> close(double timestamp);
  /// Bytes held back: at most 3.
  [[nodiscard]] std::size_t pending() const noexcept { return tail_.size(); }

 private:
  OutputChunk chunk(std::string_view data, bool eof) const;

  std::string stream_;
  notation::Idset ranks_;
  OutputEncoding default_;
  std::string tail_;
};

/// Reads the events of an output log in their order.
class OutputDecoder {
 public:
  /// `std::monostate` for an event that RFC 24 does not name. Throws Error{invalid} for events that do not
  /// follow it, data before the header or of a stream that the header does not name included. Data repeated
  /// to more than kMaxRepeated bytes is refused.
  using Item = std::variant<std::monostate, OutputHeader, OutputChunk, OutputRedirect, OutputLog>;
  static constexpr std::size_t kMaxRepeated = std::size_t{64} << 20;

  [[nodiscard]] Item decode(const Event& event);
  [[nodiscard]] const std::optional<OutputHeader>& header() const noexcept { return header_; }
  /// Whether every expected writer of every stream has ended or was redirected.
  [[nodiscard]] bool finished() const;

 private:
  std::optional<OutputHeader> header_;
  std::map<std::string, OutputRanks, std::less<>> ended_;  ///< by stream: the ranks that ended or left
};

}  // namespace fq::document
