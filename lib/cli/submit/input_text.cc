#include "cli/submit/input_text.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

/// What comes before the last slash; slashes at its end go too, unless there is nothing else.
std::string_view directory_name(std::string_view path) {
  const std::string_view head = path.substr(0, path.rfind('/') + 1);
  const std::size_t last = head.find_last_not_of('/');
  return last == std::string_view::npos ? head : head.substr(0, last + 1);
}

/// Without the last dot of the file name and what follows, unless only dots come before it.
std::string_view without_extension(std::string_view path) {
  const std::string_view name = last_part(path);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || name.find_first_not_of('.') >= dot) return path;
  return path.substr(0, path.size() - (name.size() - dot));
}

struct PathMethod {
  std::string_view name;
  std::string_view (*apply)(std::string_view path);
};
constexpr std::array kPathMethods{
    PathMethod{"%", without_extension},
    PathMethod{"/", last_part},
    PathMethod{"//", directory_name},
    PathMethod{"/%", [](std::string_view path) { return last_part(without_extension(path)); }},
};

const PathMethod* find_path_method(std::string_view name) {
  const auto found = std::find_if(kPathMethods.begin(), kPathMethods.end(),
                                  [&](const PathMethod& method) { return method.name == name; });
  return found == kPathMethods.end() ? nullptr : &*found;
}

Error no_method(std::string_view tag, std::string_view name, const InputMethods& methods) {
  std::vector<std::string> names;
  for (const PathMethod& method : kPathMethods) names.emplace_back(method.name);
  for (const auto& method : methods) names.push_back(method.first);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "there are " + join(names, ", ");
  return Error{Kind::invalid, fmt::format("{{{}}}: there is no method {}", tag, quote(name)), hint};
}

}  // namespace

void define_method(InputMethods& methods, std::string_view definition) {
  const std::size_t equals = definition.find('=');
  const std::string_view name = definition.substr(0, equals);
  const bool well_named =
      !name.empty() && is_letter(name.front()) &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
  if (equals == std::string_view::npos || !well_named) {
    throw error(Kind::invalid, "{}: expected NAME=CODE", quote(definition));
  }
  try {
    methods.insert_or_assign(std::string{name}, InputExpression{definition.substr(equals + 1)});
  } catch (const Error& failure) {
    throw failure.within(quote(definition));
  }
}

InputText::InputText(std::string_view text, std::size_t ninputs, const InputMethods& methods)
    : methods_(&methods) {
  std::size_t unnumbered = 0;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    add_literal(text.substr(0, open));
    if (open == std::string_view::npos) return;
    const bool is_variable = open > 0 && text[open - 1] == '$';
    text.remove_prefix(open);
    const bool is_template = text.starts_with("{{");
    const std::string_view closing = is_template ? "}}" : "}";
    const std::size_t close = text.find(closing);
    if (close == std::string_view::npos) {
      add_literal(text);
      return;
    }
    const std::size_t length = close + closing.size();
    if (is_template || is_variable) {
      add_literal(text.substr(0, length));
      text.remove_prefix(length);
    } else if (add_tag(text.substr(1, close - 1), ninputs, unnumbered)) {
      text.remove_prefix(length);
    } else {
      add_literal("{");
      text.remove_prefix(1);
    }
  }
}

void InputText::add_literal(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().kind != Piece::Kind::literal) pieces_.emplace_back();
  pieces_.back().text += text;
}

bool InputText::add_tag(std::string_view tag, std::size_t ninputs, std::size_t& unnumbered) {
  constexpr std::size_t kNumberLength = 6;
  if (tag == "cc") {
    add_literal("{cc}");
    return true;
  }
  if (tag == "seq" || tag == "seq1") {
    pieces_.push_back({tag == "seq" ? Piece::Kind::seq : Piece::Kind::seq1, {}, 0});
    return true;
  }
  const std::size_t dot = std::min(tag.find('.'), tag.size());
  const std::string_view number = tag.substr(0, dot);
  const std::string_view method = dot < tag.size() ? tag.substr(dot + 1) : std::string_view{};
  const bool is_word = !tag.empty() && std::all_of(tag.begin(), tag.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '/' || c == '%';
  });
  if (!tag.empty() && !is_word) return false;
  if (!std::all_of(number.begin(), number.end(), is_digit) || number.size() > kNumberLength) {
    static const std::vector<std::string> kWords{"cc", "seq", "seq1"};
    throw Error{Kind::invalid, fmt::format("{{{}}}: there is no such substitution", tag),
                did_you_mean(tag, kWords)};
  }
  // One input is meant by every {}; several are taken in turn.
  const std::size_t input = number.empty() ? (ninputs == 1 ? 0 : unnumbered++) : *parse_u64(number);
  if (input >= ninputs) {
    throw error(Kind::invalid, "{{{}}}: there {} {} input{}", tag, ninputs == 1 ? "is" : "are", ninputs,
                ninputs == 1 ? ", {0}" : fmt::format("s, {{0}} to {{{}}}", ninputs - 1));
  }
  const bool known = find_path_method(method) != nullptr || methods_->contains(method);
  if (dot < tag.size() && !known) throw no_method(tag, method, *methods_);
  pieces_.push_back({Piece::Kind::input, std::string{method}, input});
  return true;
}

bool InputText::is_constant() const {
  return std::all_of(pieces_.begin(), pieces_.end(),
                     [](const Piece& piece) { return piece.kind == Piece::Kind::literal; });
}

std::string InputText::apply(const Piece& piece, std::string_view input) const {
  if (piece.text.empty()) return std::string{input};
  if (const PathMethod* method = find_path_method(piece.text)) return std::string{method->apply(input)};
  try {
    return methods_->find(piece.text)->second.evaluate(input);
  } catch (const Error& failure) {
    throw failure.within(fmt::format("{{.{}}} of {}", piece.text, quote(input)));
  }
}

std::string InputText::render(const InputRow& row) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    switch (piece.kind) {
      case Piece::Kind::literal:
        out += piece.text;
        break;
      case Piece::Kind::input:
        out += apply(piece, row.inputs[piece.input]);
        break;
      case Piece::Kind::seq:
        out += std::to_string(row.seq);
        break;
      case Piece::Kind::seq1:
        out += std::to_string(row.seq + 1);
        break;
    }
  }
  return out;
}

}  // namespace fq::cli
