#include "manager/core/clock_text.h"

#include <ctime>

namespace fq::manager {

std::string clock_text(double t) {
  const auto seconds = static_cast<std::time_t>(t);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[64];
  std::strftime(text, sizeof text, "%F %T", &local);
  return text;
}

}  // namespace fq::manager
