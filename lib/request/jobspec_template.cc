#include "request/jobspec_template.h"

#include <fmt/core.h>

namespace fq::request {

JobspecTemplate JobspecTemplate::plain(std::string jobspec) {
  return {{std::move(jobspec)}};
}

std::string JobspecTemplate::text(const JobTexts& texts, std::uint32_t number) const {
  std::string digits;
  std::string out = pieces.front();
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::vector<std::string>& own = texts[i - 1].pieces;
    out += own.front();
    if (own.size() > 1 && digits.empty()) digits = fmt::format("{}", number);
    for (std::size_t k = 1; k < own.size(); ++k) out.append(digits).append(own[k]);
    out += pieces[i];
  }
  return out;
}

}  // namespace fq::request
