#include "request/codec.h"

#include "request/values.h"

namespace fq::request {
namespace {

template <typename Value>
std::string encode(Value& value, std::vector<ByteStream>* streams = nullptr) {
  std::string text;
  ValueWriter(text, streams).put(value);
  return text;
}

template <typename Value>
void decode(std::string_view text, std::string_view what, Value& value, const OpenStream* open = nullptr) {
  const nlohmann::json document = parse_json(text, what);
  ValueReader(open).get(JsonAt{document, std::string{what}}, value);
}

template <typename Request>
constexpr RequestKind kind_of(const Entry<Request>& entry) {
  RequestKind kind{};
  kind.name = entry.name;
  kind.access = entry.access;
  kind.who = entry.who;
  kind.has_rows = HasRows<Request>;
  kind.encode_request = [](const void* request) { return encode(*static_cast<const Request*>(request)); };
  kind.decode_request = [](std::string_view text) -> std::shared_ptr<void> {
    auto request = std::make_shared<Request>();
    decode(text, "request", *request);
    return request;
  };
  if constexpr (HasRows<Request>) {
    using Rows = typename Request::Stream;
    kind.make_rows = [](const RowTexts& to) -> std::shared_ptr<const void> {
      auto rows = std::make_shared<Rows>();
      rows->begin = [begin = to.begin](typename Rows::Head&& head) { begin(encode(head)); };
      if (to.row) rows->row = [pass = to.row](typename Rows::Row&& row) { return pass(encode(row)); };
      rows->again = to.again;
      return rows;
    };
    kind.rows_to = [](const void* to) {
      const auto* rows = static_cast<const Rows*>(to);
      RowTexts texts;
      texts.begin = [rows](std::string_view text) {
        typename Rows::Head head;
        decode(text, "head", head);
        rows->begin(std::move(head));
      };
      if (rows->row) {
        texts.row = [rows](std::string_view text) {
          typename Rows::Row row;
          decode(text, "row", row);
          return rows->row(std::move(row));
        };
      }
      texts.again = rows->again;
      return texts;
    };
  } else {
    using Reply = typename Request::Reply;
    kind.make_reply = []() -> std::shared_ptr<void> { return std::make_shared<Reply>(); };
    kind.encode_reply = [](void* reply, std::vector<ByteStream>& streams) {
      return encode(*static_cast<Reply*>(reply), &streams);
    };
    kind.decode_reply = [](std::string_view text, void* reply, const OpenStream& open) {
      decode(text, "reply", *static_cast<Reply*>(reply), &open);
    };
  }
  return kind;
}

constexpr auto kKindTable = std::apply(
    [](const auto&... entry) { return std::array<RequestKind, sizeof...(entry)>{kind_of(entry)...}; },
    kTable);

// An error as it stands in a text; `place` and `before` are those of a JobError.
struct ErrorText {
  int kind = 0;
  std::string message, hint;
  std::optional<std::size_t> place;
  std::string before;
};
FQ_FIELDS(ErrorText, kind, message, hint, place, before)

Error error_of(const JsonAt& at, ErrorText& text) {
  ValueReader(nullptr).get(at, text);
  if (text.kind < 0 || text.kind > static_cast<int>(Kind::internal)) throw at.fail("there is no such error");
  return Error{static_cast<Kind>(text.kind), text.message, text.hint};
}

}  // namespace

void ValueReader::get(const JsonAt& at, Error& error) const {
  ErrorText text;
  error = error_of(at, text);
}

Error ValueReader::unknown_member(const JsonAt& at, std::string_view names) {
  std::vector<std::string> known;
  while (!names.empty()) known.emplace_back(ValueWriter::next_name(names));
  for (const auto& member : at.value().items()) {
    if (std::find(known.begin(), known.end(), member.key()) == known.end())
      return at.fail(fmt::format("there is no member {}", quote(member.key())));
  }
  return at.fail("a member is not known");
}

const RequestKind& kind_at(std::size_t kind) {
  return kKindTable.at(kind);
}

std::optional<std::size_t> find_kind(std::string_view name) {
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (kKindTable[i].name == name) return i;
  }
  return std::nullopt;
}

std::string encode_error(const Error& error) {
  const auto* of_job = dynamic_cast<const JobError*>(&error);
  const Error& told = of_job != nullptr ? of_job->error() : error;
  ErrorText text{static_cast<int>(told.kind()), told.what(), told.hint(), {}, {}};
  if (of_job != nullptr) {
    text.place = of_job->place();
    text.before = of_job->before();
  }
  return encode(text);
}

void throw_error(std::string_view text) {
  const nlohmann::json document = parse_json(text, "error");
  ErrorText decoded;
  const Error error = error_of(JsonAt{document, "error"}, decoded);
  if (decoded.place) throw JobError(error, *decoded.place, decoded.before);
  throw error;
}

}  // namespace fq::request
