// The inputs of fq-bulksubmit, as they stand behind the command:
//
//   ::: INPUT...       one list; several lists are combined, each with each, the last one fastest
//   :::+ INPUT...      a list that goes along with the combinations, from its beginning again when it ends
//   :::: FILE          a list from a file, `-` is standard input
//   ::::+ FILE         likewise, going along
//
// Without any of these the list comes from standard input.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/input.h"
#include "cli/submit/input_text.h"

namespace fq::cli {

/// Where the text of a file is cut into inputs.
struct Separator {
  std::string text = "\n";  ///< empty: at white space
};
/// Reads --sep: a text in which \n, \t, \r, \0, \\ and \xHH stand for characters, or `none` for white space.
/// Throws Error{invalid} for an empty one.
[[nodiscard]] Separator parse_separator(std::string_view text);

class BulkInputs {
 public:
  /// Cuts `operands` into the command and the lists, and reads the files. Throws Error{usage} for lists that
  /// make no sense, Error for files that cannot be read.
  BulkInputs(const std::vector<std::string>& operands, const Separator& separator, const ReadInput& read);

  /// What stands before the inputs; may be empty.
  [[nodiscard]] const std::vector<std::string>& command() const { return command_; }
  /// Inputs of each job.
  [[nodiscard]] std::size_t width() const { return lists_.size(); }
  /// Number of combinations.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// REQUIRES index < size(). Valid as long as this.
  [[nodiscard]] InputRow row(std::size_t index) const;

 private:
  struct List {
    std::vector<std::string> inputs;
    bool linked = false;
    std::size_t repeat = 1;  ///< combinations in a row that have the same input
  };

  std::vector<std::string> command_;
  std::vector<List> lists_;
  std::size_t size_ = 0;
};

}  // namespace fq::cli
