#include "base/csv.h"

#include <utility>

#include "base/error.h"

namespace fq {

namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  std::vector<CsvRow> read() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row{line_, {}};
      do {
        row.fields.push_back(field());
      } while (take(','));
      end_line();
      if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  [[nodiscard]] bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string field() {
    if (take('"')) return quoted();
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    return std::string{text_.substr(from, at_ - from)};
  }

  std::string quoted() {
    const std::size_t began = line_;
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        value += c;
      } else if (take('"')) {
        value += '"';
      } else {
        const bool ends =
            at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r';
        if (!ends) throw error(Kind::invalid, "line {}: expected a comma behind the quoted field", line_);
        return value;
      }
    }
    throw error(Kind::invalid, "line {}: the quoted field does not end", began);
  }

  void end_line() {
    static_cast<void>(take('\r'));
    static_cast<void>(take('\n'));
    ++line_;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text) {
  return CsvReader(text).read();
}

void append_csv(std::string& out, const std::vector<std::string>& fields) {
  bool first = true;
  for (const std::string& field : fields) {
    if (!std::exchange(first, false)) out += ',';
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      out += field;
      continue;
    }
    out += '"';
    for (const char c : field) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }
  out += '\n';
}

}  // namespace fq
