#include "manager/jobs/jobspec_template.h"

#include <fmt/core.h>

namespace fq::manager {

JobspecTemplate JobspecTemplate::plain(std::string jobspec) {
  return {{std::move(jobspec)}};
}

JobspecTemplate JobspecTemplate::between(std::string_view first, std::string_view first_number,
                                         std::string_view second, std::string_view second_number) {
  if (first.size() != second.size() || first_number.size() != second_number.size()) return {};
  JobspecTemplate result;
  std::size_t from = 0;
  for (std::size_t at = first.find(first_number); at != std::string_view::npos;
       at = first.find(first_number, at + first_number.size())) {
    if (second.substr(at, second_number.size()) != second_number) continue;
    result.pieces.emplace_back(first.substr(from, at - from));
    from = at + first_number.size();
  }
  result.pieces.emplace_back(first.substr(from));
  std::string check = result.pieces.front();
  for (std::size_t i = 1; i < result.pieces.size(); ++i) check.append(second_number).append(result.pieces[i]);
  return check == second ? result : JobspecTemplate{};
}

std::string JobspecTemplate::text(std::uint32_t number) const {
  const std::string digits = fmt::format("{}", number);
  std::string out = pieces.front();
  for (std::size_t i = 1; i < pieces.size(); ++i) out.append(digits).append(pieces[i]);
  return out;
}

std::string JobspecTemplate::text(std::span<const std::string> texts) const {
  std::string out = pieces.front();
  for (std::size_t i = 1; i < pieces.size(); ++i) out.append(texts[i - 1]).append(pieces[i]);
  return out;
}

}  // namespace fq::manager
