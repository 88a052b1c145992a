#include "store/reader.h"

namespace fq::store {

std::unique_ptr<Cursor> Reader::scan_prefix(Family family, std::string_view prefix) const {
  return scan(family, prefix, prefix_end(prefix));
}

std::string prefix_end(std::string_view prefix) {
  std::string end{prefix};
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xFF) end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace fq::store
