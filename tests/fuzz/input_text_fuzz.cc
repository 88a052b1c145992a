// Texts of fq-bulksubmit, and the code of a method, of any bytes: they are refused, or give a text for any
// input, and the same one each time.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/submit/bulk_inputs.h"
#include "cli/submit/input_text.h"

namespace {

void refuse_or(const std::function<void()>& step) {
  try {
    step();
  } catch (const fq::Error& error) {
    if (error.kind() != fq::Kind::invalid) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  const std::size_t middle = std::min(bytes.find('\n'), size);
  const std::string_view code = bytes.substr(0, middle), text = bytes.substr(std::min(middle + 1, size));
  fq::cli::InputMethods methods;
  refuse_or([&] { fq::cli::define_method(methods, "m=" + std::string{code}); });
  refuse_or([&] { static_cast<void>(fq::cli::parse_separator(code)); });
  refuse_or([&] {
    if (fq::split_shell_words(fq::shell_quote(code)) != std::vector<std::string>{std::string{code}})
      std::abort();
    static_cast<void>(fq::split_shell_words(text));
  });
  refuse_or([&] {
    const fq::cli::InputText read(text, 2, methods);
    const fq::cli::InputRow row{{code, "a/b.c"}, 7};
    if (read.render(row) != read.render(row)) std::abort();
  });
  return 0;
}
