#include "document/jobspec/directives.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"

namespace fq::document {
namespace {

template <typename... Args>
[[nodiscard]] Error at_line(std::size_t line, fmt::format_string<Args...> format, Args&&... args) {
  return error(Kind::invalid, "line {}: {}", line, fmt::format(format, std::forward<Args>(args)...));
}

std::string_view trim_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kShellBlanks) + 1);
}

/// The triple quote that `text` begins with, or an empty text.
std::string_view triple_quote(std::string_view text) {
  return text.starts_with("\"\"\"") || text.starts_with("'''") ? text.substr(0, 3) : std::string_view{};
}

/// A line with a sentinel, cut at its joints: `# `, `flux:`, ` -N2`.
struct SentinelLine {
  std::string_view prefix, tag, text;
};

std::optional<SentinelLine> find_sentinel(std::string_view line) {
  constexpr std::array<std::string_view, 4> kTags{"flux:", "FLUX:", "fq:", "FQ:"};
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::size_t at = 0;
  while (at < line.size() && !is_word(line[at])) ++at;
  for (const std::string_view tag : kTags) {
    if (line.substr(at).starts_with(tag))
      return SentinelLine{line.substr(0, at), tag, line.substr(at + tag.size())};
  }
  return std::nullopt;
}

/// Whether a comment is a directive but for the colon of its tag: `#fq -t 5m`.
bool lacks_colon(std::string_view line) {
  if (!line.starts_with('#')) return false;
  line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
  for (const std::string_view tag : {"flux", "FLUX", "fq", "FQ"}) {
    if (!line.starts_with(tag)) continue;
    const std::string_view rest = line.substr(tag.size());
    return !rest.empty() && kShellBlanks.find(rest.front()) != std::string_view::npos &&
           trim(rest).starts_with('-');
  }
  return false;
}

/// A text with a triple quote at the end of its line, and the lines that follow up to the closing one.
class Block {
 public:
  Block(std::size_t line, std::string_view opening, std::string_view quote)
      : line_(line), quote_(quote), opening_(trim(opening)) {
    indent_ = opening.substr(0, std::min(opening.find_first_not_of(kShellBlanks), opening.size()));
  }

  /// Takes the next line; returns true when it closes the block.
  bool add(std::string_view text) {
    const std::string_view trimmed = trim_end(text);
    const bool closes = trimmed.ends_with(quote_);
    if (closes) text = trimmed.substr(0, trimmed.size() - quote_.size());
    if (text.starts_with(indent_)) text.remove_prefix(indent_.size());
    literal_ += text;
    if (!closes) literal_ += '\n';
    return closes;
  }

  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] const std::string& literal() const { return literal_; }
  [[nodiscard]] Error unclosed() const {
    return at_line(line_, "no closing triple quote for {}", quote(opening_));
  }

 private:
  std::size_t line_;
  std::string_view quote_, opening_, indent_;
  std::string literal_;
};

/// Cuts one directive into words. What a triple quote at the end of the line opens is not among them.
class Words {
 public:
  Words(std::size_t line, std::string_view text) : line_(line), whole_(trim(text)), rest_(trim_end(text)) {}

  void read() {
    while (!rest_.empty() && !opened_) {
      const char c = rest_.front();
      if (kShellBlanks.find(c) != std::string_view::npos) {
        rest_.remove_prefix(1);
        finish_word();
      } else if (c == '#') {
        break;
      } else if (!triple_quote(rest_).empty()) {
        read_triple();
      } else if (std::string_view{"();<>|&"}.find(c) != std::string_view::npos) {
        throw at_line(line_, "{} must be quoted: {}", quote({&c, 1}), quote(whole_));
      } else {
        read_text();
      }
    }
    if (!opened_) finish_word();
  }

  /// The triple quote that ends the line, where one does; its literal goes to append.
  [[nodiscard]] std::string_view opened() const { return opened_ ? *opened_ : std::string_view{}; }
  void append(std::string_view literal) {
    begin_word() += literal;
    finish_word();
  }

  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::string& begin_word() {
    if (!word_) word_.emplace();
    return *word_;
  }
  void finish_word() {
    if (word_) words_.push_back(*std::exchange(word_, std::nullopt));
  }

  void read_text() {
    try {
      take_shell_text(rest_, begin_word());
    } catch (const Error& failure) {
      throw at_line(line_, "{}: {}", failure.what(), quote(whole_));
    }
  }

  void read_triple() {
    const std::string_view quote_mark = triple_quote(rest_);
    rest_.remove_prefix(quote_mark.size());
    const std::size_t end = rest_.find(quote_mark);
    if (end != std::string_view::npos) {
      begin_word() += rest_.substr(0, end);
      rest_.remove_prefix(end + quote_mark.size());
    } else if (rest_.empty()) {
      begin_word();
      opened_ = quote_mark;
    } else {
      throw at_line(line_, "no closing triple quote: {}", quote(whole_));
    }
  }

  std::size_t line_;
  std::string_view whole_, rest_;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
  std::optional<std::string_view> opened_;
};

class DirectiveReader {
 public:
  std::vector<Directive> parse(std::string_view script) {
    if (script.ends_with('\n')) script.remove_suffix(1);
    for (const std::string_view line : split(script, '\n')) {
      ++line_;
      if (const auto sentinel = find_sentinel(line)) {
        read(*sentinel);
      } else {
        pass_over(line);
      }
    }
    if (block_) throw block_->unclosed();
    return std::move(directives_);
  }

 private:
  void read(const SentinelLine& found) {
    if (last_line_) {
      throw at_line(line_, "the directives ended with line {}, {} comes too late", *last_line_,
                    quote(fmt::format("{}{}", found.prefix, found.tag)));
    }
    if (!first_) first_ = found;
    if (found.prefix != first_->prefix || found.tag != first_->tag) {
      throw at_line(line_, "expected {} as in the directives before, got {}",
                    quote(fmt::format("{}{}", first_->prefix, first_->tag)),
                    quote(fmt::format("{}{}", found.prefix, found.tag)));
    }
    if (block_) {
      if (!block_->add(found.text)) return;
      words_->append(block_->literal());
      finish(block_->line());
      block_.reset();
      return;
    }
    words_.emplace(line_, found.text);
    words_->read();
    if (words_->opened().empty()) {
      finish(line_);
    } else {
      block_.emplace(line_, found.text, words_->opened());
    }
  }

  void pass_over(std::string_view line) {
    if (block_) throw block_->unclosed();
    if (!line.starts_with('#') && !trim(line).empty()) code_began_ = true;
    if (!code_began_ && lacks_colon(line)) {
      throw at_line(line_, "a colon is missing before the options, as in '# fq: -t 1h': {}", quote(line));
    }
    if (first_ && !last_line_ && !trim(line).empty() && !line.starts_with(trim_end(first_->prefix))) {
      last_line_ = line_ - 1;
    }
  }

  void finish(std::size_t line) {
    std::vector<std::string> words = words_->take();
    if (words.empty()) return;
    if (!words.front().starts_with('-')) {
      throw at_line(line, "expected options, got {}", quote(words.front()));
    }
    directives_.push_back({line, std::move(words)});
  }

  std::size_t line_ = 0;
  bool code_began_ = false;  ///< a line was there that is neither blank nor a comment
  std::optional<SentinelLine> first_;
  std::optional<std::size_t> last_line_;  ///< of the directives, once they have ended
  std::optional<Words> words_;
  std::optional<Block> block_;
  std::vector<Directive> directives_;
};

}  // namespace

std::vector<Directive> parse_directives(std::string_view script) {
  return DirectiveReader{}.parse(script);
}

}  // namespace fq::document
