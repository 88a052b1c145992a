// fq-hostlist: expands, compresses, counts and combines lists of hosts (RFC 29). Only where hosts of jobs or
// of the store are asked for does it need one.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/input.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "commands.h"
#include "hostlist/store_hosts.h"
#include "notation/hostlist.h"

namespace {

using namespace fq;
using notation::Hostlist;
using notation::Idset;

/// What is made of several sources.
enum class Combine { append, intersect, minus, xor_ };

struct Options {
  Combine combine = Combine::append;
  std::optional<std::string> exclude;  ///< a hostlist that may be an idset too
  std::optional<Hostlist> find;
  std::optional<Idset> nth;
  bool nth_from_end = false;
  std::optional<std::int64_t> limit;
  std::string delimiter = " ";
  bool expand = false, count = false, sort = false, unique = false, quiet = false;
};

/// The number of hosts of --limit, negative for the last ones.
std::int64_t parse_limit(const std::string& text) {
  const bool from_end = text.starts_with('-');
  const auto number = parse_u64(std::string_view{text}.substr(from_end ? 1 : 0));
  if (!number || *number == 0 || *number > Hostlist::kMaxHosts) {
    throw error(Kind::invalid, "expected a number of hosts, or -N for the last N, got {}", quote(text));
  }
  return from_end ? -static_cast<std::int64_t>(*number) : static_cast<std::int64_t>(*number);
}

/// A delimiter in which `\\n` stands for the end of a line.
std::string parse_delimiter(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; ++at) text.replace(at, 2, "\n");
  return text;
}

/// Hosts and hostlists between white space.
Hostlist read_stdin() {
  const std::string text = cli::read_input("-");
  Hostlist hosts;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
      try {
        hosts.append(line.substr(at, end - at));
      } catch (const Error& failure) {
        throw failure.within(fmt::format("standard input: line {}", number));
      }
      at = end;
    }
  }
  return hosts;
}

std::vector<Hostlist> read_sources(const std::vector<std::string>& sources, bool is_local,
                                   tools::hostlist::StoreHosts& store) {
  if (sources.empty()) return {is_local ? store.local() : read_stdin()};
  std::vector<Hostlist> lists;
  bool stdin_is_read = false;
  for (const std::string& source : sources) {
    if (source == "-" || source == "stdin") {
      if (std::exchange(stdin_is_read, true)) {
        throw Error{Kind::usage, "standard input can be read once only"};
      }
      lists.push_back(read_stdin());
      continue;
    }
    if (auto hosts = store.find(source)) {
      lists.push_back(*std::move(hosts));
      continue;
    }
    lists.push_back(Hostlist::decode(source));
  }
  return lists;
}

Hostlist combine(const std::vector<Hostlist>& lists, Combine how) {
  Hostlist hosts = lists.front();
  for (auto list = lists.begin() + 1; list != lists.end(); ++list) {
    switch (how) {
      case Combine::append:
        hosts.append(*list);
        break;
      case Combine::intersect:
        hosts = hosts.intersect(*list);
        hosts.uniq();
        break;
      case Combine::minus:
        hosts.erase(*list);
        break;
      case Combine::xor_: {
        Hostlist others = list->subtract(hosts);
        hosts = hosts.subtract(*list);
        hosts.append(others);
        hosts.uniq();
        break;
      }
    }
  }
  return hosts;
}

/// The indexes [first, first + count) of a list; a list has fewer hosts than ids go.
Idset indexes(std::uint64_t first, std::uint64_t count) {
  if (count == 0) return {};
  return Idset::from_range(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first + count - 1));
}

/// Without the hosts that `what` names or, where it names none of them, those at its indexes.
Hostlist exclude(const Hostlist& hosts, const std::string& what) {
  const Hostlist rest = hosts.subtract(Hostlist::decode(what));
  if (rest.count() < hosts.count()) return rest;
  Idset unwanted;
  try {
    unwanted = Idset::decode(what);
  } catch (const Error&) {
    return hosts;  // names of hosts that are not there
  }
  return hosts.select(indexes(0, hosts.count()).subtract(unwanted));
}

Hostlist limit(const Hostlist& hosts, std::int64_t most) {
  const auto count = static_cast<std::int64_t>(hosts.count());
  if (most >= count || -most >= count) return hosts;
  return most > 0 ? hosts.select(indexes(0, static_cast<std::uint64_t>(most)))
                  : hosts.select(
                        indexes(static_cast<std::uint64_t>(count + most), static_cast<std::uint64_t>(-most)));
}

std::string find(const Hostlist& hosts, const Hostlist& wanted) {
  std::string out;
  for (const std::string& host : wanted.hosts()) {
    const auto index = hosts.find(host);
    if (!index) throw error(Kind::not_found, "host {} is not in the list", quote(host));
    if (!out.empty()) out += ' ';
    out += std::to_string(*index);
  }
  return out;
}

std::string text_of(const Hostlist& hosts, const Options& options) {
  if (options.find) return find(hosts, *options.find);
  if (options.count) return std::to_string(hosts.count());
  return options.expand ? join(hosts.hosts(), options.delimiter) : hosts.encode();
}

int run(int argc, char** argv) {
  Options options;
  cli::CommonOptions common;
  bool intersect = false, minus = false, symmetric = false, fallback = false, is_local = false;
  cli::OptionParser parser("fq-hostlist", "expand, compress, count and combine lists of hosts",
                           {"[HOSTS|ID|instance|local|avail|-]...", 0, cli::Operands::kUnlimited});
  parser.example("fq hostlist -e 'node[0-3]'");
  parser.rarely({"--fallback", "--help", "--quiet", "--local"});
  parser.example("fq hostlist --minus avail $(fq job last)");
  parser.group("Combining (else: one list after the other)");
  parser.flag("-i,--intersect", intersect, "hosts that are in all of them");
  parser.flag("-m,--minus", minus, "those of the first without those of the others");
  parser.flag("-X,--xor", symmetric, "hosts that are in one, not in both; pairwise");
  parser.group("Choosing, in this order");
  parser.option(
      "-x,--exclude", "HOSTS|IDS",
      [&](const std::string& value) {
        static_cast<void>(Hostlist::decode(value));
        options.exclude = value;
      },
      "without these hosts, or these indexes");
  parser.flag("-S,--sort", options.sort, "in the order of names and numbers");
  parser.flag("-u,--union,--unique", options.unique, "sorted, and each host once");
  parser.option(
      "-L,--limit", "N", [&](const std::string& value) { options.limit = parse_limit(value); },
      "the first N; -N: the last N");
  parser.option(
      "-n,--nth", "[-]IDS",
      [&](const std::string& value) {
        options.nth_from_end = value.starts_with('-');
        options.nth = Idset::decode(std::string_view{value}.substr(options.nth_from_end ? 1 : 0));
      },
      "those at these indexes; -IDS: from the end");
  parser.group("Output (else: compressed)");
  parser.flag("-e,--expand", options.expand, "each host, separated by blanks");
  parser.option(
      "-d,--delimiter", "S", [&](const std::string& value) { options.delimiter = parse_delimiter(value); },
      "separated by S; \\n is a new line");
  parser.flag("-c,--count", options.count, "how many there are");
  parser.option(
      "-F,--find", "HOSTS", [&](const std::string& value) { options.find = Hostlist::decode(value); },
      "the indexes of these hosts");
  parser.flag("-q,--quiet", options.quiet, "print nothing; exit with 1 if there are none");
  parser.flag("-f,--fallback", fallback, "take what is no job for a host");
  parser.flag("-l,--local", is_local, "the hosts of this job, instead of standard input");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  if (intersect + minus + symmetric > 1) {
    throw Error{Kind::combination, "only one of --intersect, --minus and --xor can be used"};
  }
  if (options.expand + options.count + (options.find ? 1 : 0) > 1) {
    throw Error{Kind::combination, "only one of --expand, --count and --find can be used"};
  }
  options.combine = intersect   ? Combine::intersect
                    : minus     ? Combine::minus
                    : symmetric ? Combine::xor_
                                : Combine::append;

  tools::hostlist::StoreHosts store(common, fallback);
  Hostlist hosts = combine(read_sources(operands, is_local, store), options.combine);
  if (options.exclude) hosts = exclude(hosts, *options.exclude);
  if (options.sort) hosts.sort();
  if (options.unique) hosts.uniq();
  if (options.limit) hosts = limit(hosts, *options.limit);
  if (options.nth)
    hosts = options.nth_from_end ? hosts.select_from_end(*options.nth) : hosts.select(*options.nth);
  const std::string text = text_of(hosts, options);
  if (options.quiet) return hosts.empty() ? 1 : 0;
  if (!text.empty()) cli::print(text + "\n");
  return 0;
}

}  // namespace

int fq::tools::command::hostlist(int argc, char** argv) {
  return ::run(argc, argv);
}
