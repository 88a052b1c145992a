// schema/requests.json says what the codec reads and writes: it is made from the fields of the structs.

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/file.h"
#include "request/values.h"
#include "support/test_data.h"

namespace fq::request {
namespace {

using nlohmann::json;

// JSON Schemas of types, those with members as definitions by their names.
class SchemaOf {
 public:
  json definitions = json::object();

  json of(const bool* /*type*/) { return {{"type", "boolean"}}; }
  template <typename Number>
  requires std::is_integral_v<Number> json of(const Number* /*type*/) {
    json schema{{"type", "integer"}};
    if (std::is_unsigned_v<Number>) schema["minimum"] = 0;
    if (sizeof(Number) < sizeof(std::uint64_t)) {
      schema["minimum"] = std::numeric_limits<Number>::min();
      schema["maximum"] = std::numeric_limits<Number>::max();
    }
    return schema;
  }
  template <typename Enum>
  requires std::is_enum_v<Enum> json of(const Enum* /*type*/) {
    return {{"type", "integer"}, {"minimum", 0}, {"maximum", kValuesOf<Enum> - 1}};
  }
  json of(const double* /*type*/) {
    return reference("number", {{"anyOf", {{{"type", "number"}}, {{"enum", {"inf", "-inf", "nan"}}}}}});
  }
  json of(const std::string* /*type*/) {
    return reference("bytes", {{"anyOf",
                                {{{"type", "string"}},
                                 {{"type", "object"},
                                  {"required", {"base64"}},
                                  {"properties", {{"base64", {{"type", "string"}}}}},
                                  {"additionalProperties", false}}}}});
  }
  json of(const notation::JobId* /*type*/) {
    return reference("job id", {{"type", "integer"}, {"minimum", 0}, {"description", "RFC 19"}});
  }
  json of(const notation::Idset* /*type*/) {
    return reference("idset", {{"type", "string"}, {"description", "RFC 22"}});
  }
  json of(const notation::Hostlist* /*type*/) {
    return reference("hostlist", {{"type", "string"}, {"description", "RFC 29"}});
  }
  json of(const document::ResourceSet* /*type*/) {
    return reference("resource set", {{"type", {"object", "null"}}, {"description", "RFC 20; null: empty"}});
  }
  json of(const ByteStream* /*type*/) {
    return reference(
        "stream",
        {{"type", "integer"}, {"minimum", 0}, {"description", "its place among those that follow"}});
  }
  json of(const Error* /*type*/) {
    return reference("error", {{"type", "object"},
                               {"properties",
                                {{"kind", {{"type", "integer"}}},
                                 {"message", of(static_cast<std::string*>(nullptr))},
                                 {"hint", of(static_cast<std::string*>(nullptr))},
                                 {"place", {{"type", {"integer", "null"}}}},
                                 {"before", of(static_cast<std::string*>(nullptr))}}},
                               {"additionalProperties", false}});
  }
  template <typename Value>
  json of(const std::optional<Value>* /*type*/) {
    return {{"anyOf", {of(static_cast<Value*>(nullptr)), {{"type", "null"}}}}};
  }
  template <typename Value>
  json of(const std::vector<Value>* /*type*/) {
    return {{"type", "array"}, {"items", of(static_cast<Value*>(nullptr))}};
  }
  template <typename Value, std::size_t count>
  json of(const std::array<Value, count>* /*type*/) {
    return {{"type", "array"},
            {"minItems", count},
            {"maxItems", count},
            {"items", of(static_cast<Value*>(nullptr))}};
  }
  template <typename Value>
  json of(const std::set<Value>* /*type*/) {
    return of(static_cast<std::vector<Value>*>(nullptr));
  }
  template <typename Key, typename Value>
  json of(const std::map<Key, Value>* /*type*/) {
    return of(static_cast<std::vector<std::pair<Key, Value>>*>(nullptr));
  }
  template <typename First, typename Second>
  json of(const std::pair<First, Second>* /*type*/) {
    return {{"type", "array"},
            {"minItems", 2},
            {"maxItems", 2},
            {"description", "the first: " + of(static_cast<First*>(nullptr)).dump() +
                                ", the second: " + of(static_cast<Second*>(nullptr)).dump()}};
  }
  json of(const LimitEdits::value_type* /*type*/) {
    return of(static_cast<std::pair<std::string, std::int64_t>*>(nullptr));
  }
  template <typename... Edit>
  json of(const std::variant<Edit...>* /*type*/) {
    json edits = json::array();
    (edits.push_back(of(static_cast<Edit*>(nullptr))), ...);
    return {{"type", "array"},
            {"minItems", 2},
            {"maxItems", 2},
            {"description", "the number of the edit in this list, then the edit"},
            {"items", {{"anyOf", edits}}}};
  }
  json of(const AccountTree* /*type*/) {
    return reference("AccountTree",
                     {{"type", "object"},
                      {"properties",
                       {{"exists", {{"type", "boolean"}}},
                        {"accounting", of(static_cast<priority::Accounting*>(nullptr))},
                        {"nodes", of(static_cast<std::vector<AccountNode>*>(nullptr))},
                        {"children",
                         {{"type", "array"},
                          {"items", {{"type", "integer"}, {"minimum", 0}}},
                          {"description", "how many of the next nodes are right below each"}}}}},
                      {"additionalProperties", false}});
  }
  template <HasFields Value>
  json of(const Value* /*type*/) {
    std::string name{type_name(static_cast<Value*>(nullptr))};
    if (const json known = {{"$ref", "#/$defs/" + name}}; definitions.contains(name)) return known;
    definitions[name] = true;
    json properties = json::object();
    Value value{};
    std::string_view names = field_names(static_cast<Value*>(nullptr));
    std::apply(
        [&](auto&... members) {
          ((properties[std::string{ValueWriter::next_name(names)}] =
                of(static_cast<std::remove_reference_t<decltype(members)>*>(nullptr))),
           ...);
        },
        fields_of(value));
    definitions[name] = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    return {{"$ref", "#/$defs/" + name}};
  }

 private:
  json reference(const std::string& name, const json& schema) {
    definitions[name] = schema;
    return {{"$ref", "#/$defs/" + name}};
  }
};

template <typename Request>
json described(SchemaOf& schemas, const Entry<Request>& entry) {
  constexpr std::array kWho{"anybody", "the user whose job it is, the owner of the store, and operators",
                            "the owner of the store, and operators"};
  json request{{"access", entry.access == Access::read ? "read" : "write"},
               {"who", kWho.at(static_cast<std::size_t>(entry.who))},
               {"request", schemas.of(static_cast<Request*>(nullptr))}};
  if constexpr (HasRows<Request>) {
    request["head"] = schemas.of(static_cast<typename Request::Stream::Head*>(nullptr));
    request["row"] = schemas.of(static_cast<typename Request::Stream::Row*>(nullptr));
  } else {
    request["reply"] = schemas.of(static_cast<typename Request::Reply*>(nullptr));
  }
  return request;
}

TEST(RequestSchema, says_what_the_codec_reads_and_writes) {
  SchemaOf schemas;
  json requests = json::object();
  std::apply(
      [&](const auto&... entry) { ((requests[std::string{entry.name}] = described(schemas, entry)), ...); },
      kTable);
  const json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "What commands ask, and what they are answered"},
                   {"description",
                    "Each request with who may ask it; a member that is missing has its default. Made from "
                    "lib/request/fields.h by FQ_WRITE_SCHEMA=1 request_test."},
                   {"requests", requests},
                   {"$defs", schemas.definitions}};
  const std::string path = test_data("../../schema/requests.json");
  const std::string text = whole.dump(1) + "\n";
  if (std::getenv("FQ_WRITE_SCHEMA") != nullptr) write_file(path, text);
  EXPECT_TRUE(read_file(path) == text) << path << " differs: FQ_WRITE_SCHEMA=1 writes it";
}

}  // namespace
}  // namespace fq::request
