// Requests and replies go through their texts and come out as they were; what is no request is refused.

#include "request/codec.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "request/values.h"

namespace fq::request {
namespace {

// Fills values with whatever they can hold.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  void fill(bool& value) { value = below(2) == 1; }
  template <typename Number>
  requires std::is_integral_v<Number>
  void fill(Number& value) {
    using Limits = std::numeric_limits<Number>;
    const std::array<Number, 4> some{Limits::min(), Limits::max(), Number{0}, static_cast<Number>(random_())};
    value = some.at(below(some.size()));
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void fill(Enum& value) { value = static_cast<Enum>(below(kValuesOf<Enum>)); }
  void fill(double& value) {
    const std::array some{0.0, -1.5, 0.1, 1e300, std::numeric_limits<double>::infinity(), 1790000000.123456};
    value = some.at(below(some.size()));
  }
  void fill(std::string& bytes) {
    const std::array<std::string, 6> some{
        "", "batch", "Größe \n\"\\", std::string("\0\x1b[2J", 5), "\xff\xfe", std::string(3000, 'x')};
    bytes = some.at(below(some.size()));
  }
  void fill(notation::JobId& id) { fill(id.value); }
  void fill(notation::Idset& set) {
    if (below(2) == 1) set = {1, 2, 3, 7};
  }
  void fill(notation::Hostlist& hosts) {
    if (below(2) == 1) hosts = notation::Hostlist::decode("node[0-3],other");
  }
  void fill(document::ResourceSet& set) {
    if (below(2) == 0) return;
    set = document::ResourceSet::uniform({0, 1}, notation::Hostlist::decode("node[0-1]"), {0, 1, 2}, {0});
    set.set_property("fast", {1});
  }
  void fill(Error& error) { error = Error{Kind::refused, "no", "yes"}; }
  void fill(ByteStream& stream) { stream = ByteStream{"bytes"}; }
  template <typename Value>
  void fill(std::optional<Value>& value) {
    if (below(2) == 1) fill(value.emplace());
  }
  template <typename Value>
  void fill(std::vector<Value>& list) {
    // A tree ends.
    ++depth_;
    list.resize(depth_ > 3 ? 0 : below(3));
    for (Value& each : list) fill(each);
    --depth_;
  }
  template <typename Value, std::size_t count>
  void fill(std::array<Value, count>& list) {
    for (Value& each : list) fill(each);
  }
  template <typename Value>
  void fill(std::set<Value>& set) {
    Value value{};
    fill(value);
    set.insert(value);
  }
  template <typename Key, typename Value>
  void fill(std::map<Key, Value>& map) {
    Key key{};
    fill(key);
    fill(map[key]);
  }
  template <typename First, typename Second>
  void fill(std::pair<First, Second>& pair) {
    fill(pair.first);
    fill(pair.second);
  }
  void fill(LimitEdits::value_type& limit) {
    limit.first = priority::kLimitNames.at(below(priority::kLimitNames.size())).member;
    fill(limit.second);
  }
  template <typename... Edit>
  void fill(std::variant<Edit...>& edit) {
    std::size_t i = 0;
    const std::size_t chosen = below(sizeof...(Edit));
    const auto take = [&]<typename One>(One one) {
      if (i++ != chosen) return;
      fill(one);
      edit = std::move(one);
    };
    (take(Edit{}), ...);
  }
  template <HasFields Value>
  void fill(Value& value) {
    std::apply([&](auto&... members) { (fill(members), ...); }, fields_of(value));
  }

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

 private:
  std::mt19937_64 random_;
  int depth_ = 0;
};

std::string text_of_reply(const RequestKind& kind, void* reply, std::vector<std::string>& streams) {
  std::vector<ByteStream> open;
  std::string text = kind.encode_reply(reply, open);
  for (ByteStream& each : open) streams.push_back(each.read_all());
  return text;
}

template <std::size_t at>
void round_trip(std::uint64_t seed) {
  using Request = RequestAt<at>;
  const RequestKind& kind = kind_at(at);
  SCOPED_TRACE(kind.name);
  Filler filler(seed);
  Request request;
  filler.fill(request);
  const std::string text = kind.encode_request(&request);
  const std::shared_ptr<void> back = kind.decode_request(text);
  EXPECT_EQ(kind.encode_request(back.get()), text);
  if constexpr (HasRows<Request>) {
    typename Request::Stream::Head head;
    typename Request::Stream::Row row;
    filler.fill(head);
    filler.fill(row);
    std::vector<std::string> sent, got;
    // Rows that go through texts to rows that are looked at as texts.
    typename Request::Stream last;
    const auto encoded = [](const auto& value) {
      std::string out;
      ValueWriter(out, nullptr).put(value);
      return out;
    };
    last.begin = [&](auto&& value) { got.push_back(encoded(value)); };
    last.row = [&](auto&& value) {
      got.push_back(encoded(value));
      return false;
    };
    RowTexts texts = kind.rows_to(&last);
    const auto first = std::static_pointer_cast<const typename Request::Stream>(kind.make_rows(texts));
    sent = {encoded(head), encoded(row)};
    first->begin(std::move(head));
    EXPECT_FALSE(first->row(std::move(row)));
    EXPECT_EQ(got, sent);
    EXPECT_FALSE(first->again);
  } else {
    typename Request::Reply reply;
    filler.fill(reply);
    std::vector<std::string> streams, streams_back;
    const std::string reply_text = text_of_reply(kind, &reply, streams);
    const std::shared_ptr<void> reply_back = kind.make_reply();
    kind.decode_reply(reply_text, reply_back.get(), [&](std::size_t i) { return ByteStream{streams.at(i)}; });
    EXPECT_EQ(text_of_reply(kind, reply_back.get(), streams_back), reply_text);
    EXPECT_EQ(streams_back, streams);
  }
}

template <std::size_t... at>
void round_trips(std::uint64_t seed, std::index_sequence<at...> /*all*/) {
  (round_trip<at>(seed * kKinds + at), ...);
}

TEST(Codec, every_request_and_reply_comes_out_as_it_went_in) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) round_trips(seed, std::make_index_sequence<kKinds>{});
}

TEST(Codec, altered_texts_are_refused_or_read_and_nothing_else) {
  // Bytes of true texts are changed, removed and doubled: an Error, or another request.
  std::mt19937_64 random(20261124);
  const auto try_kind = [&]<std::size_t at>() {
    Filler filler(at);
    RequestAt<at> request;
    filler.fill(request);
    const RequestKind& kind = kind_at(at);
    const std::string text = kind.encode_request(&request);
    for (int i = 0; i < 200; ++i) {
      std::string altered = text;
      const std::size_t place = random() % altered.size();
      switch (random() % 3) {
        case 0:
          altered[place] = static_cast<char>(random());
          break;
        case 1:
          altered.erase(place, 1 + random() % 8);
          break;
        default:
          altered.insert(place, altered.substr(random() % altered.size(), random() % 16));
      }
      try {
        const auto back = kind.decode_request(altered);
        static_cast<void>(kind.encode_request(back.get()));
      } catch (const Error& refused) {
        EXPECT_EQ(refused.kind(), Kind::invalid) << refused.what();
      }
    }
  };
  [&]<std::size_t... at>(std::index_sequence<at...>) {
    (try_kind.template operator()<at>(), ...);
  }
  (std::make_index_sequence<kKinds>{});
}

std::string refusal(std::string_view kind, std::string_view text) {
  try {
    static_cast<void>(kind_at(*find_kind(kind)).decode_request(text));
  } catch (const Error& refused) {
    return refused.what();
  }
  return "taken";
}

TEST(Codec, what_is_no_request_is_refused_with_its_place) {
  EXPECT_EQ(refusal("find-job", R"({"id":7})"), "taken");
  EXPECT_EQ(refusal("find-job", "{}"), "taken");
  EXPECT_EQ(refusal("find-job", R"({"id":-1})"), "request.id: expected an integer that is not negative");
  EXPECT_EQ(refusal("find-job", R"({"id":7,"uid":0})"), "request: there is no member 'uid'");
  EXPECT_EQ(refusal("urgency", R"({"ids":[1],"urgency":300})"),
            "request.urgency: expected an integer from 0 to 255, got 300");
  EXPECT_EQ(refusal("queue", R"({"verb":4})"), "request.verb: expected an integer from 0 to 3, got 4");
  EXPECT_EQ(refusal("drain", R"({"targets":{"base64":"?"}})").substr(0, 16), "request.targets:");
  EXPECT_EQ(refusal("edit-accounts", R"({"edit":[11,{}]})"),
            "request.edit[0]: expected an integer from 0 to 10, got 11");
  EXPECT_EQ(refusal("find-job", "[]"), "request: expected an object, got an array");
  EXPECT_EQ(refusal("find-job", std::string(100'000, '[')).substr(0, 8), "request:");
  EXPECT_FALSE(find_kind("nothing"));
}

TEST(Codec, errors_are_the_same_on_the_other_side) {
  const Error error{Kind::not_found, "queue 'debg' does not exist", "did you mean 'debug'?"};
  try {
    throw_error(encode_error(error));
  } catch (const Error& back) {
    EXPECT_EQ(back.kind(), error.kind());
    EXPECT_STREQ(back.what(), error.what());
    EXPECT_EQ(back.hint(), error.hint());
  }
  try {
    throw_error(encode_error(JobError(error, 3, "only the first 2 of 9 jobs were submitted")));
  } catch (const JobError& back) {
    EXPECT_STREQ(back.what(), "only the first 2 of 9 jobs were submitted: queue 'debg' does not exist");
    EXPECT_EQ(std::string{back.naming("line 4").what()},
              "only the first 2 of 9 jobs were submitted: line 4: queue 'debg' does not exist");
    EXPECT_EQ(back.place(), 3U);
  }
}

TEST(Codec, a_deep_tree_of_accounts_is_no_deep_text) {
  AccountTree tree;
  tree.exists = true;
  tree.root.name = "root";
  AccountNode* at = &tree.root;
  for (int i = 0; i < 64; ++i) {
    at->children.resize(2);
    at->children[0].name = fmt::format("a{}", i);
    at->children[1].name = fmt::format("b{}", i);
    at = &at->children[1];
  }
  const RequestKind& kind = kind_at(*find_kind("accounts"));
  std::vector<ByteStream> streams;
  const std::string text = kind.encode_reply(&tree, streams);
  AccountTree back;
  kind.decode_reply(text, &back, {});
  EXPECT_EQ(back.root.children[1].children[1].children[0].name, "a2");
  EXPECT_EQ(bank_nodes(back, true).size(), 129U);
  for (const std::string& broken :
       {std::string{R"({"exists":true,"accounting":{},"nodes":[],"children":[]})"},
        std::string{R"({"exists":true,"accounting":{},"nodes":[{}],"children":[1]})"},
        std::string{R"({"exists":true,"accounting":{},"nodes":[{},{}],"children":[0,0]})"}})
    EXPECT_THROW(kind.decode_reply(broken, &back, {}), Error) << broken;
}

TEST(Codec, names_and_places_in_the_table_belong_together) {
  for (std::size_t i = 0; i < kKinds; ++i) EXPECT_EQ(find_kind(kind_at(i).name), i);
}

}  // namespace
}  // namespace fq::request
