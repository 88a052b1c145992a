// Text fields of records as they are read.

#pragma once

#include <string>

#include <flatbuffers/flatbuffers.h>

namespace fq::records {

/// An absent field reads as an empty text.
[[nodiscard]] inline std::string text(const flatbuffers::String* value) {
  return value != nullptr ? value->str() : std::string{};
}

}  // namespace fq::records
