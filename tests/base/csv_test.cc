#include "base/csv.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/error_text.h"

namespace fq::test {
namespace {

std::string shown(std::string_view text) {
  std::string out;
  for (const CsvRow& row : parse_csv(text)) {
    out += fmt::format("{}:", row.line);
    for (const std::string& field : row.fields) out += fmt::format("[{}]", field);
  }
  return out;
}

TEST(Csv, rows_have_the_lines_at_which_they_begin) {
  EXPECT_EQ(shown("a,b\nc,\n\n,d"), "1:[a][b]2:[c][]4:[][d]");
  EXPECT_EQ(shown("a,b\r\nc,d\r\n"), "1:[a][b]2:[c][d]");
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("\xEF\xBB\xBFuser\nx"), "1:[user]2:[x]");
}

TEST(Csv, quoted_fields_have_anything_in_them) {
  EXPECT_EQ(shown("\"a,\"\"b\"\"\nc\",d\ne"), "1:[a,\"b\"\nc][d]3:[e]");
  EXPECT_EQ(shown("\"\",x"), "1:[][x]");
  EXPECT_EQ(error_text([] { return parse_csv("a\n\"b").size(); }), "line 2: the quoted field does not end");
  EXPECT_EQ(error_text([] { return parse_csv("\"a\"b").size(); }),
            "line 1: expected a comma behind the quoted field");
}

TEST(Csv, what_is_written_is_read_again) {
  const std::vector<std::string> fields{"plain", "", "a,b", "say \"x\"", "two\nlines", " blank "};
  std::string text;
  append_csv(text, fields);
  const std::vector<CsvRow> rows = parse_csv(text);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].fields, fields);
}

}  // namespace
}  // namespace fq::test
