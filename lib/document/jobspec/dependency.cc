#include "document/jobspec/dependency.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/begin_time.h"

namespace fq::document {

using nlohmann::json;

namespace {

struct Scheme {
  DependencyKind kind;
  std::string_view name;         ///< as fq writes it
  std::string_view description;  ///< what its events begin with; a scheme name too
  std::string_view alias;        ///< another name that is read, or empty
};

constexpr std::array kSchemes = {
    Scheme{DependencyKind::after_start, "after", "after-start", "afterstart"},
    Scheme{DependencyKind::after_any, "afterany", "after-finish", ""},
    Scheme{DependencyKind::after_ok, "afterok", "after-success", ""},
    Scheme{DependencyKind::after_notok, "afternotok", "after-failure", ""},
    Scheme{DependencyKind::after_except, "afterexcept", "after-except", ""},
    Scheme{DependencyKind::begin_time, "begin-time", "begin-time", ""},
    Scheme{DependencyKind::singleton, "singleton", "singleton", ""},
};

const Scheme& scheme_of(DependencyKind kind) {
  return *std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& s) { return s.kind == kind; });
}

/// The scheme of that name, or Error{invalid} with the names there are.
const Scheme& find_scheme(std::string_view name) {
  const auto found = std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& s) {
    return name == s.name || name == s.description || (!s.alias.empty() && name == s.alias);
  });
  if (found != kSchemes.end()) return *found;
  std::vector<std::string> names;
  names.reserve(kSchemes.size());
  for (const Scheme& known : kSchemes) names.emplace_back(known.name);
  throw Error{Kind::invalid,
              fmt::format("unknown scheme {}, expected one of {}", quote(name), join(names, ", ")),
              did_you_mean(name, names)};
}

/// f58 with its `ƒ` whatever the locale is: texts in the store must not depend on who wrote them.
std::string stored_id(notation::JobId id) {
  return "ƒ" + notation::to_f58_ascii(id).substr(1);
}

std::string decode_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Adds the KEY=VALUE pairs of a query, separated by `&` or `;`, to `object`.
void add_query(json& object, std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw error(Kind::invalid, "expected KEY=VALUE after '?', got {}", quote(pair));
    }
    const std::string key = decode_percent(pair.substr(0, equals));
    const std::string value = decode_percent(pair.substr(equals + 1));
    if (!is_valid_utf8(key) || !is_valid_utf8(value)) {
      throw error(Kind::invalid, "expected UTF-8 text, got {}", quote(pair));
    }
    if (!object.emplace(key, value).second)
      throw error(Kind::invalid, "the key {} is given twice", quote(key));
  }
}

/// The id of the job that is depended on.
notation::JobId parse_job(const Scheme& scheme, std::string_view value) {
  try {
    return notation::parse_job_id(value);
  } catch (const Error& failure) {
    // Slurm and PBS take several there.
    const std::size_t end = value.find_first_of(":,");
    if (end == std::string_view::npos) throw;
    throw Error{
        failure.kind(), failure.what(),
        fmt::format("one dependency a job: {0}:{1} and another {0}:…", scheme.name, value.substr(0, end))};
  }
}

/// The dependency that `scheme` makes of `value`; begin-time values are read by `parse_time`.
template <typename ParseTime>
Dependency make_dependency(const Scheme& scheme, std::string_view value, ParseTime&& parse_time) {
  Dependency dependency{.kind = scheme.kind};
  switch (scheme.kind) {
    case DependencyKind::begin_time:
      dependency.begin_time = parse_time(value);
      break;
    case DependencyKind::singleton:
      if (!value.empty()) throw error(Kind::invalid, "'singleton' takes no value, got {}", quote(value));
      break;
    default:
      if (value.empty()) throw error(Kind::invalid, "expected a job id after {}", quote(scheme.name));
      dependency.job = parse_job(scheme, value);
  }
  return dependency;
}

}  // namespace

std::string_view scheme(DependencyKind kind) {
  return scheme_of(kind).name;
}

nlohmann::json parse_dependency_object(std::string_view text, double now) {
  try {
    const std::size_t question = std::min(text.find('?'), text.size());
    const std::string_view path = text.substr(0, question);
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string_view value = path.substr(std::min(colon + 1, path.size()));
    json object =
        to_json(make_dependency(find_scheme(path.substr(0, colon)), value,
                                [&](std::string_view time) { return parse_begin_time(time, now); }));
    add_query(object, text.substr(std::min(question + 1, text.size())));
    return object;
  } catch (const Error& failure) {
    throw failure.within(fmt::format("dependency {}", quote(text)));
  }
}

Dependency parse_dependency_option(std::string_view text, double now) {
  const json object = parse_dependency_object(text, now);
  for (const auto& [key, value] : object.items()) {
    if (key == "scheme" || key == "value") continue;
    throw error(Kind::invalid, "dependency {}: {} takes no key {}", quote(text),
                quote(object["scheme"].get_ref<const std::string&>()), quote(key));
  }
  return dependency_from_json(JsonAt{object, "dependency"});
}

nlohmann::json to_json(const Dependency& dependency) {
  std::string value;
  switch (dependency.kind) {
    case DependencyKind::begin_time:
      value = format_timestamp(dependency.begin_time);
      break;
    case DependencyKind::singleton:
      break;
    default:
      value = stored_id(dependency.job);
  }
  return json{{"scheme", scheme(dependency.kind)}, {"value", std::move(value)}};
}

Dependency dependency_from_json(const JsonAt& at) {
  const JsonAt scheme = at.object().at("scheme");
  const JsonAt value = at.at("value");
  const std::string& name = scheme.as_string();
  const std::string& text = value.as_string();
  const JsonAt* read = &scheme;
  try {
    const Scheme& found = find_scheme(name);
    read = &value;
    return make_dependency(found, text, parse_epoch);
  } catch (const Error& failure) {
    throw failure.within(read->path());
  }
}

std::vector<Dependency> dependencies_from_json(const JsonAt& at) {
  check_dependencies(at);
  std::vector<Dependency> dependencies;
  dependencies.reserve(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) dependencies.push_back(dependency_from_json(at.at(i)));
  return dependencies;
}

void check_dependencies(const JsonAt& at) {
  if (at.array().size() == 0) throw at.fail("expected at least one dependency, or no such key");
  const auto expect_one_of = [](const JsonAt& word, const std::vector<std::string>& words) {
    if (std::find(words.begin(), words.end(), word.as_string()) != words.end()) return;
    throw word.fail(fmt::format("expected one of {}, got {}", join(words, ", "), quote(word.as_string())));
  };
  const auto less = [](const json* a, const json* b) { return *a < *b; };
  std::set<const json*, decltype(less)> seen(less);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const JsonAt entry = at.at(i);
    const JsonAt scheme = entry.object().at("scheme");
    if (scheme.as_string().empty()) throw scheme.fail("expected the name of a scheme, got an empty string");
    static_cast<void>(entry.at("value").as_string());
    if (scheme.as_string() == "string" || scheme.as_string() == "fluid") {
      expect_one_of(entry.at("type"), {"in", "out", "inout"});
      expect_one_of(entry.at("scope"), {"user", "global"});
    }
    if (!seen.insert(&entry.value()).second) throw entry.fail("the same dependency is there twice");
  }
}

std::string describe(const Dependency& dependency) {
  const Scheme& scheme = scheme_of(dependency.kind);
  switch (dependency.kind) {
    case DependencyKind::begin_time:
      return fmt::format("{}={}", scheme.description, format_timestamp(dependency.begin_time));
    case DependencyKind::singleton:
      return std::string{scheme.description};
    default:
      return fmt::format("{}={}", scheme.description, stored_id(dependency.job));
  }
}

Dependency parse_description(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view word = text.substr(0, equals);
  const auto found = std::find_if(kSchemes.begin(), kSchemes.end(),
                                  [&](const Scheme& scheme) { return scheme.description == word; });
  if (found == kSchemes.end()) {
    throw error(Kind::invalid,
                "dependency description {}: expected after-start=ID, after-finish=ID, after-success=ID, "
                "after-failure=ID, after-except=ID, begin-time=SECONDS or singleton",
                quote(text));
  }
  try {
    return make_dependency(*found, text.substr(std::min(equals + 1, text.size())), parse_epoch);
  } catch (const Error& failure) {
    throw failure.within(fmt::format("dependency description {}", quote(text)));
  }
}

}  // namespace fq::document
