// The options of fq-submit and fq-bulksubmit beside those of a job: copies of it, and what to do when the
// jobs are submitted.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/option_parser.h"
#include "cli/submit/submit_options.h"
#include "notation/idset.h"

namespace fq::cli {

/// What is done with one job after its submission. In texts `{{id}}` is still to be replaced.
struct JobFollow {
  std::optional<std::string> log, log_stderr;  ///< files that take what would go to stdout and stderr
  std::optional<std::string> wait_event;       ///< none: do not wait

  friend bool operator==(const JobFollow&, const JobFollow&) = default;
};

struct BulkOptions {
  SubmitOptions submit;
  std::optional<std::string> cc, bcc;  ///< idsets
  JobFollow follow;
  bool watch = false;
  bool progress = false;
  bool jps = false;
};

/// Adds the option group, that of a job's submission included.
void add_bulk_options(OptionParser& parser, BulkOptions& options);

/// Throws Error{combination} for options that make no sense together. To be called when all are read.
void check_bulk_options(const BulkOptions& options);

/// Calls `visit` with every value that may differ from job to job, as the one of SubmitOptions does.
void for_each_text(BulkOptions& options, const VisitText& visit);

/// The most jobs that one command submits.
inline constexpr std::size_t kMaxCopies = 10'000'000;
/// The numbers that --cc or --bcc name, or nothing where neither is given. Throws Error{combination} for
/// both, Error{usage} for what is not an idset, and for more than kMaxCopies.
[[nodiscard]] std::optional<notation::Idset> copy_numbers(const BulkOptions& options);

/// Whether `{cc}` is in the text, outside of `{{…}}`.
[[nodiscard]] bool has_copy_number(std::string_view text);
/// What stands between the `{cc}` of a text: one piece more than there are of these.
[[nodiscard]] std::vector<std::string> split_at_copy_number(std::string_view text);
/// The text with `{cc}` replaced by the number; `{{cc}}` and other braces stay as they are.
[[nodiscard]] std::string with_copy_number(std::string_view text, std::uint32_t number);
/// The options with it replaced in the command and in every option.
[[nodiscard]] BulkOptions with_copy_number(const BulkOptions& options, std::uint32_t number);

}  // namespace fq::cli
