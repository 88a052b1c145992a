// Rows with fields of every kind, for the tests of formats.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/format/format.h"

namespace fq::cli {

struct Animal {
  std::string name = {};
  std::int64_t legs = 0;
  double weight = 0;
  double born = 0;
  std::string tag = {};
};

inline constexpr Field<Animal> kFields[] = {
    {"name", "NAME", "name of the animal",
     [](const Animal& a, std::string_view, std::string&) -> Value { return std::string_view{a.name}; },
     [](const Animal& a) { return a.legs > 4 ? style::kRed : std::string_view{}; }},
    {"name.length", "LEN", "length of the name",
     [](const Animal& a, std::string_view, std::string&) -> Value {
       return static_cast<std::int64_t>(a.name.size());
     }},
    {"legs", "LEGS", "number of legs",
     [](const Animal& a, std::string_view, std::string&) -> Value { return a.legs; }},
    {"weight", "WEIGHT", "weight",
     [](const Animal& a, std::string_view, std::string&) -> Value { return a.weight; }},
    {"born", "BORN", "time of birth",
     [](const Animal& a, std::string_view, std::string&) -> Value { return a.born; }},
    {"tag", "TAG", "tag, if it has one",
     [](const Animal& a, std::string_view, std::string&) -> Value {
       return a.tag.empty() ? Value{} : Value{std::string_view{a.tag}};
     }},
    {"by-tag", "TAG", "tag, sorted by legs",
     [](const Animal& a, std::string_view, std::string&) -> Value { return std::string_view{a.tag}; },
     nullptr, "legs"},
    {"x.", "*", "any key",
     [](const Animal&, std::string_view member, std::string& scratch) -> Value {
       scratch = "<" + std::string{member} + ">";
       return std::string_view{scratch};
     }},
    {"y.", "", "any key",
     [](const Animal&, std::string_view member, std::string&) -> Value { return member; }},
};

inline std::span<const Field<Animal>> fields() {
  return kFields;
}

/// A listing, or the error as the user sees it.
inline std::string list(std::string_view format, std::vector<Animal> animals, bool no_header = true) {
  try {
    Format<Animal> parsed{format, fields()};
    return parsed.list(animals, no_header);
  } catch (const Error& failure) {
    EXPECT_EQ(failure.kind(), Kind::usage);
    return failure.hint().empty() ? failure.what() : fmt::format("{} ({})", failure.what(), failure.hint());
  }
}

}  // namespace fq::cli
