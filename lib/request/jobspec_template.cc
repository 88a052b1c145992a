#include "request/jobspec_template.h"

#include <fmt/format.h>

namespace fq::request {

JobspecTemplate JobspecTemplate::plain(std::string jobspec) {
  return {{std::move(jobspec)}};
}

std::string NumberedText::with(std::uint32_t number) const {
  std::string out = pieces.front();
  if (pieces.size() == 1) return out;
  const fmt::format_int digits(number);
  for (std::size_t i = 1; i < pieces.size(); ++i) out.append(digits.data(), digits.size()).append(pieces[i]);
  return out;
}

std::string JobspecTemplate::text(const JobTexts& texts, std::uint32_t number) const {
  std::string out = pieces.front();
  for (std::size_t i = 1; i < pieces.size(); ++i) out.append(texts[i - 1].with(number)).append(pieces[i]);
  return out;
}

}  // namespace fq::request
