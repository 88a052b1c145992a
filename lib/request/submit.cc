#include "request/submit.h"

#include <algorithm>

namespace fq::request {

void JobGroup::require_form() const {
  const auto has_pieces = [](const auto& text) { return !text.pieces.empty(); };
  const bool good = has_pieces(jobspec) && (!rows.empty() || jobspec.pieces.size() == 1) &&
                    std::all_of(rows.begin(), rows.end(), [&](const JobTexts& texts) {
                      return texts.size() + 1 == jobspec.pieces.size() &&
                             std::all_of(texts.begin(), texts.end(), has_pieces);
                    });
  if (!good) throw Error{Kind::invalid, "expected a text for each place of the jobspec"};
}

std::size_t JobGroup::size() const {
  return std::max<std::size_t>(1, rows.size()) * std::max<std::size_t>(1, copies.count());
}

std::string JobGroup::jobspec_text(std::size_t row, std::uint32_t number) const {
  return rows.empty() ? jobspec.pieces.front() : jobspec.text(rows[row], number);
}

void JobGroup::for_each_jobspec(const std::function<void(const std::string&)>& visit) const {
  for (std::size_t row = 0; row < std::max<std::size_t>(1, rows.size()); ++row) {
    if (copies.empty()) visit(jobspec_text(row, 0));
    copies.for_each([&](std::uint32_t number) { visit(jobspec_text(row, number)); });
  }
}

}  // namespace fq::request
