#include "sim/generated.h"

#include <charconv>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/pretended_nodes.h"
#include "sim/generate.h"

namespace fq::tools::sim {
namespace {

constexpr std::uint64_t kMostJobs = 10'000'000;

std::uint64_t number(std::string_view option, const std::string& text, std::uint64_t least,
                     std::uint64_t most) {
  const auto value = parse_u64(text);
  if (!value || *value < least || *value > most)
    throw error(Kind::usage, "{}: expected a number from {} to {}, got {}", option, least, most, quote(text));
  return *value;
}

}  // namespace

std::string generated_trace(const Options& options, const std::vector<std::string>& operands) {
  if (!operands.empty() || options.jobs || options.from_store)
    throw Error{Kind::combination, "--generate makes a workload: leave out what is to be simulated"};
  if (options.json || options.html || options.config || !options.compare.empty() || !options.accounts.empty())
    throw Error{Kind::combination,
                "--generate simulates nothing: only --nodes, --seed and --load go with it"};
  if (!options.nodes)
    throw Error{Kind::usage, "--generate: for which machine?", "say so with --nodes N:CORES"};
  const document::ResourceSet nodes = cli::pretended_nodes(*options.nodes, "--nodes");
  fq::sim::Generation wanted;
  wanted.jobs = number("--generate", *options.generate, 1, kMostJobs);
  wanted.nodes = nodes.nnodes();
  wanted.processors = nodes.ncores();
  if (options.seed) wanted.seed = number("--seed", *options.seed, 0, UINT64_MAX);
  if (options.load) {
    const std::string& text = *options.load;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), wanted.load);
    if (failure != std::errc{} || end != text.data() + text.size() || !(wanted.load > 0) || wanted.load > 100)
      throw error(Kind::usage, "--load: expected a number above 0, up to 100, got {}", quote(text));
  }
  return fq::sim::write_trace(
      fq::sim::generate(wanted),
      fmt::format("fq sim --generate {} --nodes {} --seed {} --load {:g} (after Lublin and Feitelson, 2003)",
                  wanted.jobs, *options.nodes, wanted.seed, wanted.load));
}

}  // namespace fq::tools::sim
