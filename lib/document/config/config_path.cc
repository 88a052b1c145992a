#include "document/config/config_path.h"

namespace fq::document {

std::string join_path(const ConfigPath& path) {
  std::string text;
  for (const std::string& part : path) {
    if (!text.empty() && !part.starts_with('[')) text += '.';
    text += part;
  }
  return text;
}

}  // namespace fq::document
