#include "signature/fields.h"

#include <charconv>

#include "signature/refused.h"

namespace fq::signature {

std::string encode_fields(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields)
    text.append(std::to_string(field.size())).append(1, ':').append(field);
  return text;
}

std::vector<std::string_view> decode_fields(std::string_view text, std::size_t most) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const std::size_t colon = text.substr(0, 20).find(':');
    if (colon == std::string_view::npos) throw Refused("a field has no size");
    const std::uint64_t size = parse_number(text.substr(0, colon), "the size of a field");
    text.remove_prefix(colon + 1);
    if (size > text.size()) throw Refused("a field is cut off");
    if (fields.size() == most) throw Refused("there are fields too many");
    fields.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return fields;
}

std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failure == std::errc{} && end == text.data() + text.size();
  if (!whole || (text.size() > 1 && text.front() == '0') || number > most) {
    throw Refused(std::string{what} + " is not a number from 0 to " + std::to_string(most));
  }
  return number;
}

std::string fill_template(std::string_view pieces, std::string_view values) {
  const std::vector<std::string_view> fixed = decode_fields(pieces);
  const std::vector<std::string_view> own = decode_fields(values);
  if (fixed.size() != own.size() + 1) {
    throw Refused("a template of " + std::to_string(fixed.size()) + " pieces does not fit " +
                  std::to_string(own.size()) + " values");
  }
  std::string text{fixed.front()};
  for (std::size_t i = 0; i < own.size(); ++i) text.append(own[i]).append(fixed[i + 1]);
  return text;
}

}  // namespace fq::signature
