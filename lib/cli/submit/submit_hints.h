// What a submission is likely to have meant otherwise: it is right as it stands, but will surprise.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/submit/submit_options.h"
#include "cli/submit/surroundings.h"

namespace fq::cli {

/// A line each, without line ends: a program, directory or input file that is not there, or no program; a
/// script that has options for fq batch; an attribute that nothing reads but that is near one that is read.
/// Files that jobs before it may make (it has dependencies), and texts that copies replace, are left alone.
[[nodiscard]] std::vector<std::string> submit_hints(const SubmitOptions& options,
                                                    const Surroundings& surroundings);

/// The same of what does harm: a pattern of another batch system in a path that stands for nothing.
[[nodiscard]] std::vector<std::string> submit_warnings(const SubmitOptions& options);

/// The hint about an attribute, given by its path from the jobspec; empty where it is read, or may be one's
/// own.
[[nodiscard]] std::string attribute_hint(const std::string& path);

/// The lines of a script that give options to another batch system, as a hint; empty where there are none, or
/// where it gives options to fq too. `name` is the script's.
[[nodiscard]] std::string foreign_directives(std::string_view name, std::string_view script);

/// Says the hints about a submission on stderr, `COMMAND: HINT`, where that is a terminal. `warning`, unless
/// it is empty, and what does harm are said first, and wherever stderr leads.
void hint_submission(std::string_view command, const SubmitOptions& options, const Surroundings& surroundings,
                     const std::string& warning = {});

}  // namespace fq::cli
