#include "process/machine/topology.h"

#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "process/start/child_channel.h"
#include "process/start/find_program.h"

namespace fq::process {

using document::ResourceSet;
using notation::Idset;

namespace {

// What drivers of GPUs may take to say what there is.
constexpr double kPatienceS = 60;
constexpr std::string_view kProgram = "fq-topology";

/// What the program says. `xml`, where it is given, is its input. Throws Error{kind} with what it complains
/// of.
ResourceSet ask_program(const std::string& option, const std::string* xml, Kind kind) {
  std::vector<std::string> command{find_program(kProgram)};
  if (!option.empty()) command.push_back(option);
  ChildChannel program(command, kPatienceS);
  std::optional<std::string> answer;
  double patience_s = kPatienceS;
  try {
    if (xml != nullptr) program.send_line(*xml, kPatienceS);
    program.close_input();
    answer = program.receive_line(kPatienceS);
  } catch (const Error&) {
    patience_s = 1;  // how it ended, or that it does not, says more
  }
  const std::string end = program.how_it_ended(patience_s);
  if (answer && end.empty()) return ResourceSet::parse(*answer);
  std::string complaint = program.last_complaint();
  if (const std::string prefix = fmt::format("{}: ", kProgram); complaint.starts_with(prefix)) {
    throw Error{kind, complaint.substr(prefix.size())};
  }
  throw error(Kind::io, "cannot read this machine's topology: {}: {}", kProgram, end);
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return std::string{split(name, '.').front()};
}

ResourceSet probe_resources(std::optional<std::uint32_t> gpus, bool restricted) {
  const ResourceSet found = ask_program(restricted ? "" : "--whole", nullptr, Kind::io);
  ResourceSet::Node node = found.nodes().front();
  if (!gpus || node.gpus.count() == *gpus) return found;
  // What is known of the GPUs that were found is not known of as many others.
  node.gpus = *gpus > 0 ? Idset::from_range(0, *gpus - 1) : Idset{};
  ResourceSet counted;
  counted.add(std::move(node));
  return counted;
}

ResourceSet read_topology(const std::string& xml) {
  return ask_program("--xml", &xml, Kind::invalid);
}

ResourceSet make_test_nodes(std::uint32_t nodes, std::uint32_t cores, std::uint32_t gpus) {
  ResourceSet made;
  for (std::uint32_t rank = 0; rank < nodes; ++rank) {
    ResourceSet::Node node;
    node.rank = rank;
    node.host = fmt::format("node{}", rank);
    node.cores = Idset::from_range(0, cores - 1);
    if (gpus > 0) node.gpus = Idset::from_range(0, gpus - 1);
    made.add(std::move(node));
  }
  return made;
}

}  // namespace fq::process
