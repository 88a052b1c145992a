#include <gtest/gtest.h>

#include "cli/format/animals.h"
#include "cli/format/format.h"

namespace fq::cli {
namespace {

/// The listing within `limit` columns.
std::string fitted(std::string_view format, std::vector<Animal> animals, std::size_t limit,
                   bool color = false) {
  Format<Animal> parsed{format, fields()};
  parsed.set_limit(limit);
  parsed.set_color(color);
  return parsed.list(animals, false);
}

TEST(Format, lines_fit_a_limit) {
  // Room that no value needs is given up from the left, then lines are cut, a `+` at the edge; blanks at the
  // end go.
  const std::vector<Animal> animals{{"ant", 6}, {"butterfly", 6}};
  constexpr std::string_view kFormat = "{legs:>8} {name:<12} {tag}";
  EXPECT_EQ(fitted(kFormat, animals, 80), "    LEGS NAME         TAG\n       6 ant\n       6 butterfly\n");
  EXPECT_EQ(fitted(kFormat, animals, 25), "    LEGS NAME         TAG\n       6 ant\n       6 butterfly\n");
  EXPECT_EQ(fitted(kFormat, animals, 23), "  LEGS NAME         TAG\n     6 ant\n     6 butterfly\n");
  EXPECT_EQ(fitted(kFormat, animals, 18), "LEGS NAME      TAG\n   6 ant\n   6 butterfly\n");
  EXPECT_EQ(fitted(kFormat, animals, 12), "LE+ NAME   +\n  6 ant\n  6 butterf+\n");
  EXPECT_EQ(fitted(kFormat, animals, 1), "+\n+\n+\n");
}

TEST(Format, what_stands_last_keeps_room) {
  // Headings above narrow values give way, then values that are marked where they are cut, as far as it
  // takes.
  const std::vector<Animal> animals{{"butterfly", 6, 0, 0, "flies by day and rests by night"}};
  constexpr std::string_view kFormat = "{name:<9.9+} {legs:>6} {weight:>6} {tag}";
  EXPECT_EQ(fitted(kFormat, animals, 60),
            "NAME        LEGS WEIGHT TAG\nbutterfly      6    0.0 flies by day and rests by night\n");
  EXPECT_EQ(fitted(kFormat, animals, 42),
            "NAME      LEGS WEIGHT TAG\nbutterfly    6    0.0 flies by day and re+\n");
  EXPECT_EQ(fitted(kFormat, animals, 38), "NAME      LE+ WE+ TAG\nbutterfly   6 0.0 flies by day and re+\n");
  EXPECT_EQ(fitted(kFormat, animals, 35), "NAME   LE+ WE+ TAG\nbutte+   6 0.0 flies by day and re+\n");
  EXPECT_EQ(fitted(kFormat, animals, 30), "NAME   LE+ WE+ TAG\nbutte+   6 0.0 flies by day a+\n");
}

TEST(Format, columns_that_mark_what_they_cut_grow_into_the_room_that_is_left) {
  // From the left, as far as their values need it and the line has room.
  const std::vector<Animal> animals{{"butterfly", 6, 0, 0, "butterflies"}};
  constexpr std::string_view kFormat = "{name:<4.4+} {tag:<3.3+} {legs}";
  EXPECT_EQ(fitted(kFormat, animals, 80), "NAME      TAG         LEGS\nbutterfly butterflies 6\n");
  EXPECT_EQ(fitted(kFormat, animals, 21), "NAME      TAG    LEGS\nbutterfly butte+ 6\n");
  EXPECT_EQ(fitted(kFormat, animals, 15), "NAME   TAG LEGS\nbutte+ bu+ 6\n");
  EXPECT_EQ(fitted(kFormat, animals, 13), "NAME TAG LEGS\nbut+ bu+ 6\n");
  EXPECT_EQ(list(kFormat, animals), "but+ bu+ 6\n");
}

TEST(Format, a_cut_cell_keeps_its_colour) {
  // And gives it back before the mark; columns are counted, not bytes.
  EXPECT_EQ(fitted("{legs} {name}", {{"butterfly", 6}}, 6, true), "LE+ N+\n6 \033[31mbut\033[0m+\n");
  EXPECT_EQ(fitted("{name}", {{"日本日本", 4}}, 6), "NAME\n日本+\n");
}

}  // namespace
}  // namespace fq::cli
