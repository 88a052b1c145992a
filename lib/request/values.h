// Values as JSON text and back, by their members: what request/codec.h is made of.

#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "request/codec.h"
#include "request/fields.h"

namespace fq::request {

/// Appends values to a text.
class ValueWriter {
 public:
  ValueWriter(std::string& out, std::vector<ByteStream>* streams) : out_(out), streams_(streams) {}

  void put(bool value) { out_ += value ? "true" : "false"; }
  template <typename Number>
  requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) void put(Number value) {
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void put(Enum value) {
    static_assert(kValuesOf<Enum> > 0,
                  "an enumeration of which fields.h does not say how many values it has");
    put(static_cast<int>(value));
  }
  void put(double value) {
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(out_), "{}", value);
    } else {
      out_ += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    }
  }
  void put(const std::string& bytes) { append_json_bytes(out_, bytes); }
  void put(notation::JobId id) { put(id.value); }
  void put(const notation::Idset& set) { put(set.encode()); }
  void put(const notation::Hostlist& hosts) { put(hosts.encode()); }
  void put(const document::ResourceSet& set) { out_ += set.empty() ? "null" : set.encode(); }
  void put(const Error& error) { out_ += encode_error(error); }
  void put(ByteStream& stream) {
    put(streams_->size());
    streams_->push_back(std::move(stream));
  }
  template <typename Value>
  void put(std::optional<Value>& value) {
    put_optional(value);
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put_optional(value);
  }
  template <typename List>
  requires requires(List& list) {
    typename List::value_type;
    list.begin();
  } &&(!std::is_same_v<std::remove_const_t<List>, std::string>)void put(List& list) {
    out_ += '[';
    bool first = true;
    for (auto& each : list) {
      if (!std::exchange(first, false)) out_ += ',';
      put(each);
    }
    out_ += ']';
  }
  template <typename First, typename Second>
  void put(const std::pair<First, Second>& pair) {
    out_ += '[';
    put(pair.first);
    out_ += ',';
    put(pair.second);
    out_ += ']';
  }
  void put(const LimitEdits::value_type& limit) {
    for (const priority::LimitName& each : priority::kLimitNames) {
      if (each.member == limit.first) put(std::pair{std::string{each.name}, limit.second});
    }
  }
  template <typename... Edit>
  void put(const std::variant<Edit...>& edit) {
    fmt::format_to(std::back_inserter(out_), "[{},", edit.index());
    std::visit([this](const auto& one) { put(one); }, edit);
    out_ += ']';
  }
  template <HasFields Value>
  void put(Value& value) {
    out_ += '{';
    static const std::remove_const_t<Value> kDefault{};
    std::string_view names = field_names(&kDefault);
    bool first = true;
    for_each_member(value, kDefault, [&](auto& each, const auto& by_default) {
      const std::string_view name = next_name(names);
      if (says_nothing(each, by_default)) return;
      if (!std::exchange(first, false)) out_ += ',';
      out_ += '"';
      out_ += name;
      out_ += "\":";
      put(each);
    });
    out_ += '}';
  }

  /// A tree may be deeper than JSON nests: its nodes come in their order, with how many children each has.
  void put(AccountTree& tree) {
    std::vector<std::size_t> children;
    out_ += "{\"exists\":";
    put(tree.exists);
    out_ += ",\"accounting\":";
    put(tree.accounting);
    out_ += ",\"nodes\":[";
    put_nodes(tree.root, children);
    out_ += "],\"children\":";
    put(children);
    out_ += '}';
  }

  /// Takes the first of the names `a, b, c` off.
  static std::string_view next_name(std::string_view& names) {
    const std::size_t end = names.find(',');
    std::string_view name = names.substr(0, end);
    name.remove_prefix(std::min(name.find_first_not_of(" \n"), name.size()));
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    return name;
  }

 private:
  void put_nodes(AccountNode& node, std::vector<std::size_t>& counts) {
    auto children = std::exchange(node.children, {});
    if (!counts.empty()) out_ += ',';
    counts.push_back(children.size());
    put(node);
    for (AccountNode& child : children) put_nodes(child, counts);
  }
  template <typename Value, typename Visit>
  static void for_each_member(Value& value, const std::remove_const_t<Value>& by_default,
                              const Visit& visit) {
    std::apply(
        [&](auto&... members) {
          std::apply([&](const auto&... defaults) { (visit(members, defaults), ...); },
                     fields_of(by_default));
        },
        fields_of(value));
  }
  /// Whether a reader who finds no such member has the same; false where that is not worth looking for.
  template <typename Value>
  static bool says_nothing(Value& value, const std::remove_const_t<Value>& by_default) {
    using Plain = std::remove_const_t<Value>;
    if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain> ||
                  std::is_same_v<Plain, std::string> || std::is_same_v<Plain, notation::JobId>) {
      return value == by_default;
    } else if constexpr (HasFields<Plain>) {
      bool nothing = true;
      for_each_member(value, by_default, [&](auto& each, const auto& each_by_default) {
        nothing = nothing && says_nothing(each, each_by_default);
      });
      return nothing;
    } else if constexpr (requires { value.has_value(); }) {
      if (by_default.has_value()) return false;
      if constexpr (std::is_same_v<Plain, std::optional<document::ResourceSet>>)
        return !value.has_value() || value->empty();  // one that is empty is written as none
      return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
      return value.empty() && by_default.empty();
    }
    return false;
  }
  template <typename Optional>
  void put_optional(Optional& value) {
    if (value) {
      put(*value);
    } else {
      out_ += "null";
    }
  }

  std::string& out_;
  std::vector<ByteStream>* streams_;
};

/// Reads values. Throws Error{invalid} with the path of what is wrong.
class ValueReader {
 public:
  explicit ValueReader(const OpenStream* open) : open_(open) {}

  void get(const JsonAt& at, bool& value) const { value = at.as_boolean(); }
  template <typename Number>
  requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) void get(const JsonAt& at,
                                                                                 Number& value) const {
    using Limits = std::numeric_limits<Number>;
    const nlohmann::json& json = at.value();
    if constexpr (sizeof(Number) == sizeof(std::uint64_t) && std::is_unsigned_v<Number>) {
      if (!json.is_number_unsigned()) throw at.fail("expected an integer that is not negative");
      value = json.get<Number>();
    } else {
      value = static_cast<Number>(
          at.as_integer(static_cast<std::int64_t>(Limits::min()), static_cast<std::int64_t>(Limits::max())));
    }
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void get(const JsonAt& at, Enum& value) const {
    value = static_cast<Enum>(at.as_integer(0, kValuesOf<Enum> - 1));
  }
  void get(const JsonAt& at, double& value) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (!at.value().is_string()) {
      value = at.as_number();
    } else if (const std::string& text = at.as_string(); text == "inf" || text == "-inf") {
      value = text == "inf" ? kInfinity : -kInfinity;
    } else if (text == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      throw at.fail("expected a number");
    }
  }
  void get(const JsonAt& at, std::string& bytes) const {
    if (!at.value().is_object()) {
      bytes = at.as_string();
      return;
    }
    at.allow_only({"base64"});
    parsed(at, [&] { bytes = decode_base64(at.at("base64").as_string()); });
  }
  void get(const JsonAt& at, notation::JobId& id) const { get(at, id.value); }
  void get(const JsonAt& at, notation::Idset& set) const {
    parsed(at, [&] { set = notation::Idset::decode(at.as_string()); });
  }
  void get(const JsonAt& at, notation::Hostlist& hosts) const {
    parsed(at, [&] { hosts = notation::Hostlist::decode(at.as_string()); });
  }
  void get(const JsonAt& at, document::ResourceSet& set) const {
    set = at.value().is_null() ? document::ResourceSet{} : document::ResourceSet::from_json(at);
  }
  void get(const JsonAt& at, Error& error) const;
  void get(const JsonAt& at, ByteStream& stream) const {
    std::size_t place = 0;
    get(at, place);
    if (open_ == nullptr) throw at.fail("no bytes follow");
    stream = (*open_)(place);
  }
  template <typename Value>
  void get(const JsonAt& at, std::optional<Value>& value) const {
    value.reset();
    if (!at.value().is_null()) get(at, value.emplace(Value{}));
  }
  template <typename Value>
  void get(const JsonAt& at, std::vector<Value>& list) const {
    list.clear();
    for_each(at, [&](const JsonAt& each) { get(each, list.emplace_back()); });
  }
  template <typename Value, std::size_t count>
  void get(const JsonAt& at, std::array<Value, count>& list) const {
    if (at.array().size() != count) throw at.fail(fmt::format("expected {} elements", count));
    std::size_t i = 0;
    for_each(at, [&](const JsonAt& each) { get(each, list.at(i++)); });
  }
  template <typename Value>
  void get(const JsonAt& at, std::set<Value>& set) const {
    set.clear();
    for_each(at, [&](const JsonAt& each) {
      Value value{};
      get(each, value);
      set.insert(std::move(value));
    });
  }
  template <typename Key, typename Value>
  void get(const JsonAt& at, std::map<Key, Value>& map) const {
    map.clear();
    for_each(at, [&](const JsonAt& each) {
      std::pair<Key, Value> pair;
      get(each, pair);
      map.insert(std::move(pair));
    });
  }
  template <typename First, typename Second>
  void get(const JsonAt& at, std::pair<First, Second>& pair) const {
    require_pair(at);
    get(at.at(std::size_t{0}), pair.first);
    get(at.at(std::size_t{1}), pair.second);
  }
  void get(const JsonAt& at, LimitEdits::value_type& limit) const {
    std::pair<std::string, std::int64_t> named;
    get(at, named);
    limit.second = named.second;
    for (const priority::LimitName& each : priority::kLimitNames) {
      if (each.name != named.first) continue;
      limit.first = each.member;
      return;
    }
    throw at.fail(fmt::format("there is no limit {}", quote(named.first)));
  }
  template <typename... Edit>
  void get(const JsonAt& at, std::variant<Edit...>& edit) const {
    require_pair(at);
    const JsonAt value = at.at(std::size_t{1});
    const auto index =
        static_cast<std::size_t>(at.at(std::size_t{0}).as_integer(0, std::int64_t{sizeof...(Edit)} - 1));
    std::size_t i = 0;
    const auto take = [&]<typename One>(One one) {
      if (i++ != index) return;
      get(value, one);
      edit = std::move(one);
    };
    (take(Edit{}), ...);
  }
  template <HasFields Value>
  void get(const JsonAt& at, Value& value) const {
    // What a member has by default it has by that of its own type, wherever it stands.
    static const Value kDefault{};
    value = kDefault;
    std::string_view names = field_names(static_cast<const Value*>(nullptr));
    std::size_t known = 0;
    at.object();
    const auto member = [&](auto& each) {
      const auto found = at.find(ValueWriter::next_name(names));
      if (!found) return;
      ++known;
      get(*found, each);
    };
    std::apply([&](auto&... members) { (member(members), ...); }, fields_of(value));
    if (known != at.value().size()) throw unknown_member(at, field_names(static_cast<const Value*>(nullptr)));
  }
  void get(const JsonAt& at, AccountTree& tree) const {
    at.object();
    at.allow_only({"exists", "accounting", "nodes", "children"});
    get(at.at("exists"), tree.exists);
    get(at.at("accounting"), tree.accounting);
    std::vector<AccountNode> nodes;
    get(at.at("nodes"), nodes);
    std::vector<std::size_t> children;
    get(at.at("children"), children);
    std::size_t next = 0;
    if (nodes.size() == children.size() && !nodes.empty()) tree.root = take_node(nodes, children, next);
    if (next != nodes.size() || nodes.empty()) throw at.fail("this is no tree");
  }

 private:
  // The node at `next` with all below it. `next` is beyond the nodes where there are too few.
  static AccountNode take_node(std::vector<AccountNode>& nodes, const std::vector<std::size_t>& children,
                               std::size_t& next) {
    if (next >= nodes.size()) {
      next = nodes.size() + 1;
      return {};
    }
    const std::size_t at = next++;
    AccountNode node = std::move(nodes[at]);
    node.children.clear();
    for (std::size_t i = 0; i < children[at] && next < nodes.size() + 1; ++i)
      node.children.push_back(take_node(nodes, children, next));
    return node;
  }
  template <typename Act>
  static void for_each(const JsonAt& at, const Act& act) {
    at.array();
    for (std::size_t i = 0; i < at.size(); ++i) act(at.at(i));
  }
  static void require_pair(const JsonAt& at) {
    if (at.array().size() != 2) throw at.fail("expected two elements");
  }
  template <typename Parse>
  static void parsed(const JsonAt& at, const Parse& parse) {
    try {
      parse();
    } catch (const Error& failure) {
      throw at.fail(failure.what());
    }
  }
  static Error unknown_member(const JsonAt& at, std::string_view names);

  const OpenStream* open_;
};

}  // namespace fq::request
