#include "door/connection.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace fq::door {
namespace {

Error unexpected(const Frame& frame) {
  return error(Kind::unavailable, "who answers says {}, which was not asked",
               quote(std::string_view{&frame.letter, 1}));
}

}  // namespace

Connection::Connection(FrameChannel channel, const Greeting& greeting, Told told)
    : channel_(std::move(channel)), told_(std::move(told)) {
  told_.notices.begins = [this] {
    nothing_done_.reset();
    has_begun_ = true;
  };
  channel_.send('H', encode_greeting(greeting));
  const Frame frame = receive();
  if (frame.letter != 'H') throw unexpected(frame);
  welcome_ = decode_welcome(frame.text);
}

Connection::~Connection() {
  channel_.finish();
}

Frame Connection::receive() {
  for (;;) {
    const auto frame = channel_.receive();
    if (!frame || frame->letter != 'T') nothing_done_.reset();
    if (!frame) throw Gone{};
    if (frame->letter == 'E') request::throw_error(frame->text);
    if (frame->letter != 'T') return *frame;
    if (pass_on(frame->text, told_)) has_read_damaged_ = true;
  }
}

void Connection::carry(const request::RequestKind& kind, const void* request, void* reply, const void* rows) {
  keep_streams();
  has_begun_ = false;
  // Until it has begun there, who interrupts it ends this process: nothing is done yet that could be meant
  // instead.
  if (kind.access == request::Access::write) nothing_done_.emplace();
  request::RowTexts texts;
  if (kind.has_rows) texts = kind.rows_to(rows);
  try {
    channel_.send('Q', fmt::format("{}{}{}\n{}", kind.name, texts.row ? " row" : "",
                                   texts.again ? " again" : "", kind.encode_request(request)));
  } catch (const Gone&) {
    // Who takes no more of it may have said why.
    static_cast<void>(receive());
    throw;
  }
  kind.has_rows ? take_rows(texts) : take_reply(kind, reply);
}

void Connection::take_reply(const request::RequestKind& kind, void* reply) {
  const Frame frame = receive();
  if (frame.letter != 'R') throw unexpected(frame);
  current_ = 0;
  const std::string text{frame.text};
  kind.decode_reply(text, reply, [this](std::size_t index) { return open(index); });
}

void Connection::take_rows(const request::RowTexts& rows) {
  bool wanted = true;
  for (;;) {
    const Frame frame = receive();
    switch (frame.letter) {
      case 'B':
        wanted = true;
        rows.begin(frame.text);
        break;
      case 'O':
        if (!wanted || rows.row(frame.text)) break;
        wanted = false;
        channel_.send('X');
        channel_.flush();
        break;
      case 'A':
        wanted = rows.again();
        channel_.send(wanted ? 'Y' : 'N');
        break;
      case 'D':
        return;
      default:
        throw unexpected(frame);
    }
  }
}

request::ByteStream Connection::open(std::size_t index) {
  auto stream = std::make_shared<Stream>();
  if (streams_.size() <= index) streams_.resize(index + 1);
  streams_[index] = stream;
  return request::ByteStream{
      [self = shared_from_this(), stream, index] { return self->read(*stream, index); }};
}

std::string_view Connection::read(Stream& stream, std::size_t index) {
  stream.piece.clear();
  if (!stream.kept.empty()) {
    stream.piece = std::exchange(stream.kept, {});
    return stream.piece;
  }
  // Those before it come first.
  while (!stream.over && current_ < index) {
    const auto before = streams_[current_].lock();
    std::string unwanted;
    take_piece(before ? before->kept : unwanted);
  }
  if (!stream.over) take_piece(stream.piece);
  if (stream.piece.empty() && !stream.error.empty()) request::throw_error(std::exchange(stream.error, {}));
  return stream.piece;
}

void Connection::take_piece(std::string& to) {
  const auto stream = streams_[current_].lock();
  for (;;) {
    const auto frame = channel_.receive();
    if (!frame) throw Gone{};
    if (frame->letter == 'P') {
      to += frame->text;
      return;
    }
    if (frame->letter != 'Z' && frame->letter != 'E') throw unexpected(*frame);
    if (stream) {
      stream->over = true;
      if (frame->letter == 'E') stream->error = frame->text;
    }
    ++current_;
    return;
  }
}

void Connection::keep_streams() {
  while (current_ < streams_.size()) {
    const auto stream = streams_[current_].lock();
    std::string unwanted;
    take_piece(stream ? stream->kept : unwanted);
  }
  streams_.clear();
  current_ = 0;
}

void Connection::tell(std::string_view words) {
  keep_streams();
  channel_.send('L', words);
}

void Connection::begin(std::string_view words) {
  tell(words);
  channel_.flush();
}

void Connection::break_off() {
  channel_.send('C');
  channel_.flush();
}

std::string_view Connection::end() {
  const Frame frame = receive();
  if (frame.letter != 'L') throw unexpected(frame);
  return frame.text;
}

std::string_view Connection::ask(std::string_view words) {
  begin(words);
  return end();
}

}  // namespace fq::door
