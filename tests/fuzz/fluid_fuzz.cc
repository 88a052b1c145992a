// parse_job_id over any bytes: it refuses them, or the id can be written in every form and read again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/support.h"
#include "notation/fluid.h"

using fq::fuzz::require;
using fq::notation::IdForm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto id = fq::fuzz::read_or_refuse([&] { return fq::notation::parse_job_id(text); });
  if (!id) return 0;
  for (const IdForm form : {IdForm::dec, IdForm::hex, IdForm::dothex, IdForm::f58, IdForm::f58plain,
                            IdForm::kvs, IdForm::emoji}) {
    require(fq::notation::parse_job_id(fq::notation::format_id(*id, form)) == *id);
  }
  require(fq::notation::compose(fq::notation::decompose(*id)) == *id);
  return 0;
}
