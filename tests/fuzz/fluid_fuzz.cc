// parse_job_id over any bytes: it refuses them, or the id can be written in every form and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "notation/fluid.h"

using fq::notation::IdForm;
using fq::notation::JobId;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const JobId id = fq::notation::parse_job_id({reinterpret_cast<const char*>(data), size});
    for (const IdForm form : {IdForm::dec, IdForm::hex, IdForm::dothex, IdForm::f58, IdForm::f58plain,
                              IdForm::kvs, IdForm::emoji}) {
      require(fq::notation::parse_job_id(fq::notation::format_id(id, form)) == id);
    }
    require(fq::notation::compose(fq::notation::decompose(id)) == id);
  } catch (const fq::Error& error) {
    require(error.kind() == fq::Kind::invalid);
  }
  return 0;
}
