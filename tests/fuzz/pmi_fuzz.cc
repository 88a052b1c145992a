// What a task sends by PMI, any bytes: lines are cut, and read or refused; what is found was there.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/support.h"
#include "shell/pmi/wire.h"

using fq::fuzz::require;
using namespace fq::shell::pmi;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  Lines lines;
  lines.add(text.substr(0, size / 2));
  for (const std::string_view rest : {std::string_view{}, text.substr(size / 2)}) {
    lines.add(rest);
    while (const auto line = lines.next()) {
      require(line->find('\n') == std::string::npos);
      const auto message = Message::decode(*line);
      if (!message) continue;
      if (const auto command = message->find("cmd")) require(line->find(*command) != std::string::npos);
      static_cast<void>(message->find_number("rc"));
    }
  }
  return 0;
}
