#include "support/test_data.h"

namespace fq {

std::string test_data(std::string_view name) {
  return std::string{FQ_TEST_DATA} + "/" + std::string{name};
}

}  // namespace fq
