#include "cli/format/format.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/format/animals.h"

namespace fq::cli {
namespace {

std::string show(std::string_view field, const Animal& animal) {
  std::string line = list(fmt::format("[{}]", field), {animal});
  if (line.ends_with("\n")) line.pop_back();
  return line;
}

class Utc : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};
using FormatTimes = Utc;

TEST(Format, lays_out_values_as_python_does) {
  // Fill, alignment, sign, width, grouping, precision and type of Python's format specification.
  const Animal ant{"ant", 6, 0.5, 0, "x"};
  const Animal big{"elephantine", -1234567, 1234567.891, 0, ""};
  struct Case {
    std::string_view field;
    const Animal& animal;
    std::string_view expected;
  };
  const Case cases[] = {
      {"{name}", ant, "[ant]"},
      {"{name:}", ant, "[ant]"},
      {"{name:6}", ant, "[ant   ]"},
      {"{name:<6}", ant, "[ant   ]"},
      {"{name:>6}", ant, "[   ant]"},
      {"{name:^6}", ant, "[ ant  ]"},
      {"{name:*^7}", ant, "[**ant**]"},
      {"{name:ƒ>5}", ant, "[ƒƒant]"},
      {"{name:>>5}", ant, "[>>ant]"},
      {"{name:=5}", ant, "[ant  ]"},
      {"{name:2}", ant, "[ant]"},
      {"{name:.2}", ant, "[an]"},
      {"{name:.2s}", ant, "[an]"},
      {"{name:>5.2}", ant, "[   an]"},
      {"{name:<6.4+}", big, "[ele+  ]"},
      {"{name:.11+}", big, "[elephantine]"},
      {"{name:.1+}", big, "[+]"},
      {"{name:.0+}", big, "[]"},
      {"{name:>8d}", ant, "[     ant]"},
      {"{legs}", ant, "[6]"},
      {"{legs:4}", ant, "[   6]"},
      {"{legs:<4}", ant, "[6   ]"},
      {"{legs:04d}", ant, "[0006]"},
      {"{legs:+d}", ant, "[+6]"},
      {"{legs: d}", ant, "[ 6]"},
      {"{legs:*=+4}", ant, "[+**6]"},
      {"{legs:04d}", Animal({"", -6}), "[-006]"},
      {"{legs:b}", ant, "[110]"},
      {"{legs:#x}", Animal({"", 255}), "[0xff]"},
      {"{legs:X}", Animal({"", 255}), "[FF]"},
      {"{legs:o}", Animal({"", 8}), "[10]"},
      {"{legs:,}", big, "[-1,234,567]"},
      {"{legs:_}", big, "[-1_234_567]"},
      {"{legs:.1f}", ant, "[6.0]"},
      {"{legs:%}", ant, "[600.000000%]"},
      {"{legs:.3}", big, "[-12]"},
      {"{legs!s:4}", ant, "[6   ]"},
      {"{legs}", Animal({"", std::numeric_limits<std::int64_t>::min()}), "[-9223372036854775808]"},
      {"{weight}", ant, "[0.5]"},
      {"{weight}", Animal({"", 0, 3600}), "[3600.0]"},
      {"{weight}", Animal({"", 0, 1795257931.4601645}), "[1795257931.4601645]"},
      {"{weight:8}", ant, "[     0.5]"},
      {"{weight:.2f}", big, "[1234567.89]"},
      {"{weight:,.1f}", big, "[1,234,567.9]"},
      {"{weight:08.2f}", ant, "[00000.50]"},
      {"{weight:e}", ant, "[5.000000e-01]"},
      {"{weight:.3g}", big, "[1.23e+06]"},
      {"{weight:.3}", ant, "[0.5]"},
      {"{weight:.3}", Animal({"", 0, 100}), "[100.0]"},
      {"{weight:d}", Animal({"", 0, 99.6}), "[100]"},
      {"{weight:.0%}", ant, "[50%]"},
      {"{weight}", Animal({"", 0, std::numeric_limits<double>::infinity()}), "[inf]"},
      {"{weight}", Animal({"", 0, std::nan("")}), "[nan]"},
      {"{tag:>4}", big, "[    ]"},
      {"{tag:>4d}", big, "[    ]"},
      {"{{{name}}}", ant, "[{ant}]"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(show(each.field, each.animal), each.expected) << each.field;
  }
}

TEST(Format, shows_nothing_as_a_hyphen) {
  // `h` turns empty text, zero durations and unset times into `-`; a count of zero stays.
  const Animal none{"", 0, 0, 0, ""};
  EXPECT_EQ(show("{tag:h}", none), "[-]");
  EXPECT_EQ(show("{tag:>4h}", none), "[   -]");
  EXPECT_EQ(show("{name:<4h}", none), "[-   ]");
  EXPECT_EQ(show("{weight:>4h}", none), "[   -]");
  EXPECT_EQ(show("{weight!F:>4h}", none), "[   -]");
  EXPECT_EQ(show("{weight!H:>4h}", none), "[   -]");
  EXPECT_EQ(show("{born!D:h}", none), "[-]");
  EXPECT_EQ(show("{born!d:%H:%M::>6h}", none), "[     -]");
  EXPECT_EQ(show("{legs:>4h}", none), "[   0]");
  EXPECT_EQ(show("{legs:>4h}", Animal{"", 6}), "[   6]");
  EXPECT_EQ(show("{weight:.1fh}", none), "[-]");
  EXPECT_EQ(show("{weight:.1fh}", Animal{"", 0, 2.25}), "[2.2]");
  EXPECT_EQ(show("{name:.3h+}", Animal{"long"}), "[lo+]");
}

TEST_F(FormatTimes, converts_seconds) {
  // !d, !D, !F, !H and !P turn numbers into times, durations and percentages; text passes through.
  struct Case {
    std::string_view field;
    double number;
    std::string_view expected;
  };
  const Case cases[] = {
      {"{born!D}", 1795257930.9, "[2026-11-21T10:45:30]"},
      {"{born!D:>21}", 1795257930.9, "[  2026-11-21T10:45:30]"},
      {"{born!D}", 0, "[]"},
      {"{born!d}", 1795257930.9, "[2026-11-21T10:45:30]"},
      {"{born!d:%b%d %R}", 1795257930.9, "[Nov21 10:45]"},
      {"{born!d:%b%d %R::>13}", 1795257930.9, "[  Nov21 10:45]"},
      {"{born!d:%H:%M:%S::<9}", 1795257930.9, "[10:45:30 ]"},
      {"{born!d:::>20}", 1795257930.9, "[ 2026-11-21T10:45:30]"},
      {"{born!d:%%}", 1795257930.9, "[%]"},
      {"{born!d}", 1e300, "[]"},
      {"{weight!F}", 0.0004, "[0s]"},
      {"{weight!F}", 0.052, "[0.052s]"},
      {"{weight!F}", 593.94, "[9.899m]"},
      {"{weight!F}", 600, "[10m]"},
      {"{weight!F}", -3, "[0s]"},
      {"{weight!F}", std::numeric_limits<double>::infinity(), "[inf]"},
      {"{weight!F}", std::nan(""), "[]"},
      {"{weight!H}", 0, "[0:00:00]"},
      {"{weight!H}", 0.2, "[0:00:01]"},
      {"{weight!H}", 3725.4, "[1:02:05]"},
      {"{weight!H}", 90061, "[1 day, 1:01:01]"},
      {"{weight!H}", 180000, "[2 days, 2:00:00]"},
      {"{weight!H}", -61, "[-0:01:01]"},
      {"{weight!H}", 1e300, "[1e+300]"},
      {"{weight!P}", 0.5, "[50%]"},
      {"{weight!P}", 0.015, "[1.5%]"},
      {"{weight!P}", 0.0005, "[0.05%]"},
      {"{weight!P:>6}", 1, "[  100%]"},
      {"{name!F}", 1, "[bee]"},
      {"{tag!F}", 1, "[]"},
  };
  for (const Case& each : cases) {
    const Animal animal{"bee", 6, each.number, each.number, ""};
    EXPECT_EQ(show(each.field, animal), each.expected) << each.field << " of " << each.number;
  }
}

TEST(Format, measures_and_cuts_text_as_a_terminal_shows_it) {
  // Width and precision count columns: ƒ takes one, wide characters two, marks none; code points stay whole.
  EXPECT_EQ(show("{name:>6}", Animal{"ƒ25"}), "[   ƒ25]");
  EXPECT_EQ(show("{name:.2}", Animal{"ƒ25"}), "[ƒ2]");
  EXPECT_EQ(show("{name:.2+}", Animal{"ƒƒƒ"}), "[ƒ+]");
  EXPECT_EQ(show("{name:>6}", Animal{"日本"}), "[  日本]");
  EXPECT_EQ(show("{name:.3}", Animal{"日本"}), "[日]");
  EXPECT_EQ(show("{name:<5.3}", Animal{"日本"}), "[日   ]");
  EXPECT_EQ(show("{name:>3}", Animal{"e\u0301"}), "[  e\u0301]");
  EXPECT_EQ(show("{name:.1}", Animal{"e\u0301x"}), "[e\u0301]");
}

TEST(Format, keeps_a_row_on_one_line) {
  // Control characters, overrides of direction and bytes that are not UTF-8 are shown as `?`.
  EXPECT_EQ(show("{name}", Animal{"a\nb\033[31m\x7f"}), "[a?b?[31m?]");
  EXPECT_EQ(show("{name}", Animal{"x\xff\xc3y"}), "[x??y]");
  EXPECT_EQ(show("{name}", Animal{"\u202Eabc\u0085"}), "[?abc?]");
  EXPECT_EQ(show("{name:.2}", Animal{"\xff\xff\xff"}), "[??]");
}

TEST(Format, makes_headings) {
  // Headings take alignment and width, but are not cut; a family's heading is made of the field's name.
  EXPECT_EQ(list("{name:>6.2} {legs:02d}|{weight!F:<8h}|{born!d:%R::>6}|{x.a.b} {y.c:>5}\n", {}, false),
            "  NAME LEGS|WEIGHT  |  BORN|A.B   Y.C?\n");
  EXPECT_EQ(list("no fields", {}, false), "no fields\n");
  EXPECT_EQ(list("", {Animal{}}, false), "\n");
}

TEST(Format, leaves_out_and_widens_columns) {
  // `?:` drops a column without any value, `+:` widens one to its values and heading, `?+:` does both.
  const Animal ant{"ant", 6, 0, 0, "t"};
  const Animal bear{"brown bear", 4, 2, 0, ""};
  const Animal none{"", 0, 0, 0, ""};
  EXPECT_EQ(list("{legs} ?:{tag:>4} {name}", {bear}, false), "LEGS NAME\n4 brown bear\n");
  EXPECT_EQ(list("{legs} ?:{tag:>4} {name}", {bear, ant}, false),
            "LEGS  TAG NAME\n4      brown bear\n6    t ant\n");
  EXPECT_EQ(list("?:{weight!F:>4}{legs}", {ant}), "6\n");
  EXPECT_EQ(list("?:{tag} {legs}", {bear}), " 4\n");
  EXPECT_EQ(list("+:{name:<4.4}|", {ant, bear}, false), "NAME      |\nant       |\nbrown bear|\n");
  EXPECT_EQ(list("+:{legs:>2}|", {ant}, false), "LEGS|\n   6|\n");
  EXPECT_EQ(list("+:{legs:>2}|", {ant}, true), " 6|\n");
  EXPECT_EQ(list("?+:{name:>2.2}{legs}", {none}), "0\n");
  EXPECT_EQ(list("?+:{name:>2.2}|", {ant}), "ant|\n");
  EXPECT_EQ(list("a ?: b {legs}", {ant}), "a ?: b 6\n");
  EXPECT_EQ(list("{name:3}", {none, ant}), "ant\n");
}

TEST(Format, says_where_a_format_is_wrong) {
  // Errors name the field and its place in characters, with a near match or what would be right.
  struct Case {
    std::string_view format, expected;
  };
  const Case cases[] = {
      {"{nme}", "format: character 2: unknown field 'nme' (did you mean 'name'?)"},
      {"ƒƒ {legs:>4} {idd}", "format: character 15: unknown field 'idd'"},
      {"{x.}", "format: character 2: unknown field 'x.'"},
      {"{}", "format: character 2: a field name is missing"},
      {"{:>4}", "format: character 2: a field name is missing"},
      {"ab {name", "format: character 4: '{' is not closed by '}'"},
      {"name}", "format: character 5: single '}', which '}}' stands for"},
      {"{name:{width}}", "format: character 7: '{' inside of a field"},
      {"{name!Q:>4}", "format: character 6: field 'name': unknown conversion 'Q' (!d !D !F !H !P or !s)"},
      {"{name!}", "format: character 6: field 'name': unknown conversion '' (!d !D !F !H !P or !s)"},
      {"{name:>4q}",
       "format: character 7: field 'name': 'q' is not understood in '>4q': expected "
       "[[FILL]ALIGN][WIDTH][.PRECISION][TYPE][h][+]"},
      {"{name:>5000}", "format: character 7: field 'name': width 5000 is more than 4096"},
      {"{name:>99999999999999999999999}",
       "format: character 7: field 'name': width 99999999999999999999999 is more than 4096"},
      {"{name:.9999}", "format: character 7: field 'name': precision 9999 is more than 4096"},
      {"{name:.}", "format: character 7: field 'name': a number is missing after '.' in '.'"},
      {"{name:日>9}", "format: character 7: field 'name': fill character '日' does not take one column"},
      {"\xff{name}", "format: not valid UTF-8"},
      {"sort:nme {name}", "sort key 'nme': no such field (did you mean 'name'?)"},
  };
  for (const Case& each : cases) EXPECT_EQ(list(each.format, {}), each.expected) << each.format;
}

TEST(Format, survives_any_text) {
  // Whatever is put together from the language's characters is shown, or refused as a usage error.
  constexpr std::string_view kAlphabet[] = {
      "{",   "}", "{name", "{legs", "{weight", "{born", "{tag", "{x.", ":",    "!",  "d",     "D", "F",  "H",
      "P",   "s", "<",     ">",     "^",       "=",     "0",    "9",   "12",   ".",  "+",     "h", "?:", "+:",
      "?+:", "%", "e",     ",",     "_",       "#",     " ",    "ƒ",   "\xff", "::", "sort:", "z", "-"};
  const std::vector<Animal> animals{{"ant", 6, 0.5, 1795257930.5, ""}, {"日本\n", -4, -1e300, -5, "x"}, {}};
  std::mt19937 random{20};
  int shown = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t parts = random() % 12; parts > 0; --parts)
      text += kAlphabet[random() % std::size(kAlphabet)];
    try {
      Format<Animal> format{text, fields()};
      const std::string out = format.list(animals, false);
      EXPECT_TRUE(is_valid_utf8(out)) << text;
      ++shown;
    } catch (const Error& failure) {
      EXPECT_EQ(failure.kind(), Kind::usage) << text;
    }
  }
  EXPECT_GT(shown, 1000);
}

TEST(Format, sorts_rows) {
  // Nothing first, then numbers, then text; `-` reverses; equal rows keep their order; sort_by is followed.
  const auto order = [](std::string_view format, std::string_view keys) {
    std::vector<Animal> animals{
        {"b", 4, 0, 0, "10"}, {"a", 6, 0, 0, "9"}, {"c", 4, 0, 0, ""}, {"d", 2, 0, 0, "z"}};
    const Format<Animal> parsed{format, fields()};
    auto sort_keys = parsed.sort_keys();
    if (!keys.empty()) sort_keys = parse_sort_keys(keys, field_names(fields()));
    sort_rows<Animal>(animals, sort_keys, fields());
    std::string out;
    for (const Animal& animal : animals) out += animal.name;
    return out;
  };
  EXPECT_EQ(order("{name}", ""), "bacd");
  EXPECT_EQ(order("sort:name {name}", ""), "abcd");
  EXPECT_EQ(order("sort:-name {name}", ""), "dcba");
  EXPECT_EQ(order("sort:legs{name}", ""), "dbca");
  EXPECT_EQ(order("sort:-legs,name {name}", ""), "abcd");
  EXPECT_EQ(order("{name}", "tag"), "cabd");
  EXPECT_EQ(order("{name}", " -tag ,,"), "dbac");
  EXPECT_EQ(order("{name}", "by-tag"), "dbca");
  EXPECT_EQ(list("sort:name {legs}", {Animal{"a", 6}}), "6\n");
}

TEST(Format, colours_cells_where_asked) {
  // The style of a field goes around the padded cell, only with colour on.
  Format<Animal> format{"{name:>4} {legs}", fields()};
  std::string out;
  format.append_row(out, Animal{"ant", 6});
  format.set_color(true);
  format.append_row(out, Animal{"ant", 6});
  format.append_row(out, Animal{"cat", 4});
  EXPECT_EQ(out, " ant 6\n\033[31m ant\033[0m 6\n cat 4\n");
}

TEST(Format, knows_what_it_shows) {
  // shows() is true for fields that columns show, families by their own name.
  const Format<Animal> format{"{name} {x.key}", fields()};
  EXPECT_TRUE(format.shows("name"));
  EXPECT_TRUE(format.shows("x."));
  EXPECT_FALSE(format.shows("legs"));
}

TEST(NamedFormats, are_found_or_suggested) {
  // A text with a brace is a format, other text the name of one; help lists formats and fields.
  constexpr NamedFormat kNamed[] = {{"default", "the usual", "{name}"},
                                    {"long", "all of it", "{name} {legs}"}};
  EXPECT_EQ(find_format("long", kNamed), "{name} {legs}");
  EXPECT_EQ(find_format("{tag}", kNamed), "{tag}");
  EXPECT_EQ(find_format("sort:x y", kNamed), "sort:x y");
  const auto failure = [&](std::string_view text) -> std::string {
    try {
      return std::string{find_format(text, kNamed)};
    } catch (const Error& error) {
      return fmt::format("{} ({})", error.what(), error.hint());
    }
  };
  EXPECT_EQ(failure("lng"), "unknown format 'lng' (did you mean 'long'?)");
  EXPECT_EQ(failure("whatever"), "unknown format 'whatever' (-o help lists formats and fields)");
  const std::vector<FieldName> names = {{"name", "NAME", "name of the animal", ""},
                                        {"x.", "*", "any key", ""}};
  EXPECT_EQ(format_help(kNamed, names),
            "Named formats:\n"
            "  default  the usual\n"
            "           {name}\n"
            "  long     all of it\n"
            "           {name} {legs}\n"
            "\n"
            "Fields:\n"
            "  name     name of the animal\n"
            "  x.KEY    any key\n");
}

}  // namespace
}  // namespace fq::cli
