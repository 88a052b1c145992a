#include "shell/R_lines.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::shell {
namespace {

std::string encode_ids(const notation::Idset& ids) {
  return ids.empty() ? "-" : ids.encode();
}

notation::Idset decode_ids(std::string_view text) {
  return text == "-" ? notation::Idset{} : notation::Idset::decode(text);
}

}  // namespace

std::string encode_R_lines(const document::ResourceSet& R) {
  std::string lines;
  for (const document::ResourceSet::Node& node : R.nodes())
    lines +=
        fmt::format("{} {} {} {}\n", node.rank, node.host, encode_ids(node.cores), encode_ids(node.gpus));
  return lines;
}

document::ResourceSet decode_R_lines(std::string_view lines) {
  document::ResourceSet R;
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string_view> words = split(line, ' ');
    const auto rank = parse_u64(words[0]);
    if (words.size() != 4 || !rank || *rank > UINT32_MAX)
      throw Error{Kind::invalid, "R is not lines of nodes"};
    R.add({static_cast<std::uint32_t>(*rank), std::string{words[1]}, decode_ids(words[2]),
           decode_ids(words[3])});
  }
  return R;
}

}  // namespace fq::shell
