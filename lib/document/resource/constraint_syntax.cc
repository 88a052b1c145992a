#include "document/resource/constraint_syntax.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/constraint.h"
#include "notation/cursor.h"
#include "notation/hostlist.h"
#include "notation/idset.h"

namespace fq::document {

using nlohmann::json;

namespace {

struct Token {
  enum class Kind { end, open, close, and_, or_, not_, minus, term };

  Kind kind = Kind::end;
  std::size_t at = 0;   ///< where it begins in the text
  std::string text;     ///< of a term: without quotes
  std::string_view as;  ///< as written
};

constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr bool is_delimiter(char c) {
  return is_blank(c) || c == '&' || c == '|' || c == '(' || c == ')';
}

/// What a name before ':' stands for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOperators{{
    {"properties", "properties"},
    {"hostlist", "hostlist"},
    {"host", "hostlist"},
    {"hosts", "hostlist"},
    {"ranks", "ranks"},
    {"rank", "ranks"},
}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  json parse() {
    if (token_.kind == Token::Kind::end) return json::object();
    Node root = expression(1);
    if (token_.kind == Token::Kind::close) throw fail(token_.at, "')' without '('");
    return to_json(std::move(root), 1);
  }

 private:
  /// `and` and `or` have two children or more, `not` one; a leaf has its RFC 31 object.
  struct Node {
    enum class Op { leaf, and_, or_, not_ };

    Op op = Op::leaf;
    json leaf;
    std::vector<Node> children;
  };

  [[nodiscard]] Error fail(std::size_t at, std::string_view message, std::string hint = {}) const {
    const auto column =
        1 + std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at),
                          [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    return Error{Kind::invalid,
                 fmt::format("constraint {}: column {}: {}", quote_cut(text_), column, message),
                 std::move(hint)};
  }

  [[nodiscard]] Error too_deep(std::size_t at) const {
    return fail(at, fmt::format("constraints nest at most {} deep", Constraint::kMaxDepth));
  }

  // ---- tokens

  void advance() {
    while (next_ < text_.size() && is_blank(text_[next_])) ++next_;
    previous_ = token_.as;
    token_ = Token{};
    token_.at = next_;
    if (next_ == text_.size()) return;
    switch (text_[next_]) {
      case '(':
        take(Token::Kind::open, 1);
        return;
      case ')':
        take(Token::Kind::close, 1);
        return;
      case '-':
        take(Token::Kind::minus, 1);
        return;
      case '&':
      case '|': {
        const bool twice = next_ + 1 < text_.size() && text_[next_ + 1] == text_[next_];
        take(text_[next_] == '&' ? Token::Kind::and_ : Token::Kind::or_, twice ? 2 : 1);
        return;
      }
      default:
        take_word();
    }
  }

  void take(Token::Kind kind, std::size_t length) {
    token_.kind = kind;
    token_.as = text_.substr(next_, length);
    next_ += length;
  }

  /// A word ends at the first blank, operator or parenthesis outside quotes.
  void take_word() {
    const std::size_t begin = next_;
    bool quoted = false;
    while (next_ < text_.size() && !is_delimiter(text_[next_])) {
      const char c = text_[next_++];
      if (c != '\'' && c != '"') {
        token_.text += c;
        continue;
      }
      quoted = true;
      const std::size_t end = text_.find(c, next_);
      if (end == std::string_view::npos) {
        throw fail(next_ - 1, fmt::format("the quote {} is not closed", c == '"' ? R"('"')" : R"("'")"));
      }
      token_.text += text_.substr(next_, end - next_);
      next_ = end + 1;
    }
    token_.as = text_.substr(begin, next_ - begin);
    token_.kind = Token::Kind::term;
    if (quoted) return;
    if (token_.text == "and") token_.kind = Token::Kind::and_;
    if (token_.text == "or") token_.kind = Token::Kind::or_;
    if (token_.text == "not") token_.kind = Token::Kind::not_;
  }

  // ---- grammar

  [[nodiscard]] bool begins_operand() const {
    return token_.kind == Token::Kind::open || token_.kind == Token::Kind::not_ ||
           token_.kind == Token::Kind::minus || token_.kind == Token::Kind::term;
  }

  Node expression(int depth) {
    Node left = operators(operand(depth), depth);
    while (begins_operand()) left = operators(group(Node::Op::and_, std::move(left), operand(depth)), depth);
    return left;
  }

  /// `left` and what written operators join to it, up to a blank, a parenthesis or the end.
  Node operators(Node left, int depth) {
    left = conjunction(std::move(left), depth);
    while (token_.kind == Token::Kind::or_) {
      advance();
      left = group(Node::Op::or_, std::move(left), conjunction(operand(depth), depth));
    }
    return left;
  }

  Node conjunction(Node left, int depth) {
    while (token_.kind == Token::Kind::and_) {
      advance();
      left = group(Node::Op::and_, std::move(left), operand(depth));
    }
    return left;
  }

  Node operand(int depth) {
    const std::size_t at = token_.at;
    if (depth > Constraint::kMaxDepth) throw too_deep(at);
    switch (token_.kind) {
      case Token::Kind::not_:
        advance();
        return negate(operand(depth + 1));
      case Token::Kind::minus:
        advance();
        if (token_.kind == Token::Kind::open) {
          throw fail(at, "'-' negates one term only: write 'not (…)'");
        }
        if (token_.kind != Token::Kind::term) throw fail(token_.at, expected("a term"));
        return negate(term());
      case Token::Kind::open: {
        advance();
        Node inner = expression(depth + 1);
        if (token_.kind != Token::Kind::close) throw fail(at, "'(' is not closed");
        advance();
        return inner;
      }
      case Token::Kind::term:
        return term();
      default:
        throw fail(at, expected("a term"));
    }
  }

  [[nodiscard]] std::string expected(std::string_view what) const {
    const std::string after = previous_.empty() ? "" : fmt::format(" after {}", quote(previous_));
    const std::string got = token_.kind == Token::Kind::end ? "the end" : quote(token_.as);
    return fmt::format("expected {}{}, got {}", what, after, got);
  }

  static Node negate(Node inner) {
    Node node{Node::Op::not_, {}, {}};
    node.children.push_back(std::move(inner));
    return node;
  }

  /// `op` over both sides; a side that is `op` itself gives its children.
  static Node group(Node::Op op, Node left, Node right) {
    Node node{op, {}, {}};
    if (left.op == op)
      node.children = std::move(left.children);
    else
      node.children.push_back(std::move(left));
    if (right.op == op) {
      std::move(right.children.begin(), right.children.end(), std::back_inserter(node.children));
    } else {
      node.children.push_back(std::move(right));
    }
    return node;
  }

  // ---- terms

  Node term() {
    const std::size_t at = token_.at;
    const std::string text = std::move(token_.text);
    advance();
    const std::size_t colon = text.find(':');
    std::string_view op = "properties";
    std::string_view operand = text;
    if (colon != std::string::npos) {
      op = known_operator(std::string_view{text}.substr(0, colon), at);
      operand = std::string_view{text}.substr(colon + 1);
    }
    if (operand.empty())
      throw fail(at, colon == std::string::npos ? "the term is empty"
                                                : fmt::format("{} needs a value", quote(text)));
    json values = json::array();
    try {
      if (op == "properties") {
        for (const std::string_view name : split(operand, ',')) {
          check_constraint_property(name);
          values.push_back(name);
        }
      } else {
        if (op == "hostlist") (void)notation::Hostlist::decode(operand);
        if (op == "ranks") (void)notation::Idset::decode(operand);
        values.push_back(operand);
      }
    } catch (const Error& failure) {
      throw fail(at, failure.what(), failure.hint());
    }
    return Node{Node::Op::leaf, json{{std::string{op}, std::move(values)}}, {}};
  }

  [[nodiscard]] std::string_view known_operator(std::string_view name, std::size_t at) const {
    for (const auto& [written, meant] : kOperators) {
      if (written == name) return meant;
    }
    std::vector<std::string> candidates;
    candidates.reserve(kOperators.size());
    for (const auto& [written, meant] : kOperators) candidates.emplace_back(written);
    std::string hint = did_you_mean(name, candidates);
    if (hint.empty()) hint = "operators are properties, hosts and ranks";
    throw fail(at, fmt::format("unknown operator {}", quote(name)), std::move(hint));
  }

  [[nodiscard]] json to_json(Node node, int depth) const {
    if (depth > Constraint::kMaxDepth) throw too_deep(0);
    if (node.op == Node::Op::leaf) return std::move(node.leaf);
    std::vector<json> values;
    values.reserve(node.children.size());
    for (Node& child : node.children) values.push_back(to_json(std::move(child), depth + 1));
    if (node.op == Node::Op::and_) return join_constraints(values);
    return json{{node.op == Node::Op::or_ ? "or" : "not", std::move(values)}};
  }

  std::string_view text_;
  std::size_t next_ = 0;  ///< where the token after token_ begins, blanks aside
  Token token_;
  std::string_view previous_;  ///< the token before token_, as written
};

/// How tightly a text binds: as what it may be an operand of.
enum class Binding { or_, and_, not_, term };

struct Text {
  std::string text;
  Binding binding;
};

/// A property, in quotes where it would be taken apart otherwise; it has none itself (RFC 20).
std::string term_text(std::string_view name) {
  if (name.starts_with('+')) return fmt::format("queue:{}", name.substr(1));
  const bool plain = !name.starts_with('-') && name != "and" && name != "or" && name != "not" &&
                     std::none_of(name.begin(), name.end(), is_delimiter);
  const std::string word = plain ? std::string{name} : quote(name);
  return name.find(':') == std::string_view::npos ? word : "properties:" + word;
}

std::string within(Text part, Binding at_least) {
  return part.binding < at_least ? "(" + part.text + ")" : std::move(part.text);
}

std::optional<Text> constraint_text(const json& constraint) {
  if (constraint.size() != 1) return std::nullopt;
  const std::string& op = constraint.begin().key();
  const json& values = constraint.begin().value();
  if (values.empty()) return std::nullopt;
  if (op == "hostlist" || op == "ranks") {
    return Text{(op == "ranks" ? "rank:" : "host:") + join(values.get<std::vector<std::string>>(), ","),
                Binding::term};
  }
  const Binding binding = op == "or" ? Binding::or_ : Binding::and_;
  std::vector<std::string> parts;
  for (const json& value : values) {
    if (op == "properties") {
      parts.push_back(term_text(value.get_ref<const std::string&>()));
      continue;
    }
    auto part = constraint_text(value);
    if (!part) return std::nullopt;
    if (values.size() == 1 && op != "not") return part;
    parts.push_back(within(*std::move(part), values.size() == 1 ? Binding::not_ : binding));
  }
  const Binding joined = parts.size() == 1 ? Binding::term : binding;
  Text all{join(parts, binding == Binding::or_ ? " or " : " and "), joined};
  if (op != "not") return all;
  return Text{"not " + within(std::move(all), Binding::not_), Binding::not_};
}

}  // namespace

std::optional<std::string> format_constraint_syntax(const json& constraint) {
  auto text = constraint_text(constraint);
  return text ? std::optional{std::move(text->text)} : std::nullopt;
}

json parse_constraint_syntax(std::string_view text) {
  return Parser{text}.parse();
}

json parse_constraint_syntax(const std::vector<std::string>& texts) {
  std::vector<json> constraints;
  constraints.reserve(texts.size());
  for (const std::string& text : texts) constraints.push_back(parse_constraint_syntax(text));
  return join_constraints(constraints);
}

}  // namespace fq::document
