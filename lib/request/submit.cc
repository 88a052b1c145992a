#include "request/submit.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.h"

namespace fq::request {
namespace {

// Whether it is JSON text of one string or more, the number of a copy inside of them.
bool is_strings(const NumberedText& text) {
  enum class At { start, inside, escape, digits, end } at = At::start;
  int digits = 0;
  for (const std::string& piece : text.pieces) {
    if (&piece != text.pieces.data() && at != At::inside) return false;
    if (!is_valid_utf8(piece)) return false;
    for (const char c : piece) {
      switch (at) {
        case At::start:
          if (c != '"') return false;
          at = At::inside;
          break;
        case At::inside:
          if (static_cast<unsigned char>(c) < ' ') return false;
          if (c == '"') at = At::end;
          if (c == '\\') at = At::escape;
          break;
        case At::escape:
          if (std::string_view{"\"\\/bfnrtu"}.find(c) == std::string_view::npos) return false;
          at = c == 'u' ? At::digits : At::inside;
          digits = 4;
          break;
        case At::digits:
          if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return false;
          if (--digits == 0) at = At::inside;
          break;
        case At::end:
          if (c != ',') return false;
          at = At::start;
          break;
      }
    }
  }
  return at == At::end;
}

}  // namespace

void JobGroup::require_form() const {
  const bool good = !jobspec.pieces.empty() && (!rows.empty() || jobspec.pieces.size() == 1) &&
                    std::all_of(rows.begin(), rows.end(), [&](const JobTexts& texts) {
                      return texts.size() + 1 == jobspec.pieces.size() &&
                             std::all_of(texts.begin(), texts.end(), is_strings);
                    });
  if (!good) throw Error{Kind::invalid, "expected strings for each place of the jobspec"};
}

std::size_t JobGroup::size() const {
  return std::max<std::size_t>(1, rows.size()) * std::max<std::size_t>(1, copies.count());
}

std::string JobGroup::jobspec_text(std::size_t row, std::uint32_t number) const {
  return rows.empty() ? jobspec.pieces.front() : jobspec.text(rows[row], number);
}

void JobGroup::for_each_job(const std::function<void(std::size_t row, std::uint32_t number)>& visit) const {
  for (std::size_t row = 0; row < std::max<std::size_t>(1, rows.size()); ++row) {
    if (copies.empty()) visit(row, 0);
    copies.for_each([&](std::uint32_t number) { visit(row, number); });
  }
}

void JobGroup::for_each_jobspec(const std::function<void(const std::string&)>& visit) const {
  for_each_job([&](std::size_t row, std::uint32_t number) { visit(jobspec_text(row, number)); });
}

}  // namespace fq::request
