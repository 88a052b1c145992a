// The options of each job of fq-submit or fq-bulksubmit: those of the command line with the job's inputs in
// them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/submit/bulk_inputs.h"
#include "cli/submit/bulk_options.h"
#include "cli/submit/input_text.h"
#include "notation/idset.h"

namespace fq::cli {

class BulkRows {
 public:
  /// One row: the options as they are.
  explicit BulkRows(BulkOptions options);
  /// A row for each combination of inputs. The command is that of `inputs`; without one each row's command
  /// line is its first input, cut into words. `methods` outlives it. Throws Error{usage}, Error{combination}
  /// for `{cc}` where no option asks for copies.
  BulkRows(BulkOptions options, BulkInputs inputs, const InputMethods& methods);

  /// Takes the rows in random order.
  void shuffle();

  [[nodiscard]] std::size_t size() const { return inputs_ ? inputs_->size() : 1; }
  /// The row's options and command; `{cc}` still stands in them. Throws Error{usage}.
  [[nodiscard]] BulkOptions options(std::size_t row) const;
  /// The numbers of the row's copies; nothing where the options ask for no copies. Throws as copy_numbers.
  [[nodiscard]] std::optional<notation::Idset> numbers(std::size_t row) const;
  /// How many jobs all rows make.
  [[nodiscard]] std::size_t jobs() const;

  /// Which of the jobs of all rows this is: `input 'a'`, `inputs 'a', 'b', copy 2`; empty for the only one.
  [[nodiscard]] std::string call_job(std::size_t job) const;
  /// The row's options and command, as a shell would read them.
  [[nodiscard]] std::string show(std::size_t row) const;

  /// The options as given, whose texts have substitutions.
  [[nodiscard]] const BulkOptions& pattern() const { return pattern_; }
  /// Whether jobs may differ in this text of the pattern.
  [[nodiscard]] bool varies(std::string_view text) const;
  /// Whether each row has a command line of its own.
  [[nodiscard]] bool own_commands() const { return inputs_ && pattern_.submit.command.empty(); }

 private:
  [[nodiscard]] InputRow input_row(std::size_t row) const;
  /// Whether the numbers of copies are not the same in each row.
  [[nodiscard]] bool own_numbers() const;
  /// The texts of `options` in the order of for_each_text, then the words of the command.
  template <typename Visit>
  static void for_each(BulkOptions& options, const Visit& visit);

  BulkOptions pattern_;
  std::optional<BulkInputs> inputs_;
  const InputMethods* methods_ = nullptr;
  std::vector<InputText> texts_;      ///< in the same order
  std::vector<std::uint32_t> order_;  ///< of the inputs; empty: as they are
};

}  // namespace fq::cli
