#include "sim/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/constraint_syntax.h"

namespace fq::sim {
namespace {

constexpr std::size_t kFields = 18;
using Fields = std::array<double, kFields>;

std::optional<double> parse_number(std::string_view word) {
  double value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class Reader {
 public:
  Trace read(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (const std::string wrong = take(line); !wrong.empty())
        trace_.damaged.push_back(fmt::format("line {}: {}", number, wrong));
    }
    std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                     [](const TraceJob& a, const TraceJob& b) { return a.submit < b.submit; });
    drop_unknown_predecessors();
    return std::move(trace_);
  }

 private:
  // What is wrong with a line; empty: nothing.
  std::string take(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return {};
    if (words.front().front() == ';') {
      header(line);
      return {};
    }
    if (words.size() != kFields) return fmt::format("expected {} numbers, got {}", kFields, words.size());
    Fields fields{};
    for (std::size_t i = 0; i < kFields; ++i) {
      const auto value = parse_number(words[i]);
      if (!value) return fmt::format("expected a number, got {}", quote(words[i]));
      fields[i] = *value;
    }
    return job(fields);
  }

  std::string job(const Fields& fields) {
    constexpr double kMost = 1e15;
    const double id = fields[0], submit = fields[1], runtime = fields[3];
    const double processors = fields[7] > 0 ? fields[7] : fields[4];
    if (id < 1 || id > kMost || id != std::floor(id)) return fmt::format("{} is no job number", id);
    if (submit < 0 || submit > kMost) return fmt::format("{} is no time of submission", submit);
    if (runtime > kMost || fields[8] > kMost) return "a time is too large";
    if (runtime < 0 || processors < 1) {
      ++trace_.left_out["no run time or no processors"];
      return {};
    }
    if (processors > std::numeric_limits<std::uint32_t>::max())
      return "the number of processors is too large";
    if (!ids_.insert(static_cast<std::uint64_t>(id)).second)
      return fmt::format("job {} is there already", id);
    TraceJob job;
    job.id = static_cast<std::uint64_t>(id);
    job.submit = submit;
    job.limit = std::max(fields[8], 0.0);
    job.runtime = job.limit > 0 ? std::min(runtime, job.limit) : runtime;
    job.processors = static_cast<std::uint32_t>(processors);
    job.user = static_cast<std::int64_t>(fields[11]);
    job.queue = static_cast<std::int64_t>(fields[14]);
    if (fields[16] >= 1 && fields[16] <= kMost)
      job.after.emplace_back(document::DependencyKind::after_any, static_cast<std::uint64_t>(fields[16]));
    trace_.jobs.push_back(job);
    return {};
  }

  // Of a part of a trace the other part is not there.
  void drop_unknown_predecessors() {
    std::set<std::uint64_t> before;
    for (TraceJob& job : trace_.jobs) {
      std::erase_if(job.after, [&](const auto& each) { return !before.contains(each.second); });
      before.insert(job.id);
    }
  }

  void header(std::string_view line) {
    const auto value = [&](std::string_view name) -> std::uint64_t {
      const std::size_t at = line.find(name);
      if (at == std::string_view::npos) return 0;
      const auto words = words_of(line.substr(at + name.size()));
      return words.empty() ? 0 : parse_u64(words.front()).value_or(0);
    };
    if (const std::uint64_t nodes = value("MaxNodes:")) trace_.max_nodes = nodes;
    if (const std::uint64_t processors = value("MaxProcs:")) trace_.max_processors = processors;
  }

  Trace trace_;
  std::set<std::uint64_t> ids_;
};

// A table of jobs as CSV.
class TableReader {
 public:
  explicit TableReader(std::string_view text) : rows_(parse_csv(text)) {
    if (rows_.empty()) throw Error{Kind::invalid, "line 1: expected the names of the columns"};
    for (std::size_t i = 0; i < rows_.front().fields.size(); ++i) {
      const std::string name{trim(rows_.front().fields[i])};
      if (std::find(kColumns.begin(), kColumns.end(), name) == kColumns.end()) {
        const std::vector<std::string> known(kColumns.begin(), kColumns.end());
        const std::string near = did_you_mean(name, known);
        throw Error{Kind::invalid,
                    fmt::format("line {}: there is no column {}", rows_.front().line, quote(name)),
                    near.empty() ? "one of " + join(known, ", ") : near};
      }
      columns_[name] = i;
    }
    for (const char* needed : {"job", "submit", "runtime"}) {
      if (!columns_.contains(needed))
        throw error(Kind::invalid, "line {}: the column {} is missing", rows_.front().line, quote(needed));
    }
  }

  Trace read() {
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      try {
        take(rows_[i]);
      } catch (const Error& failure) {
        trace_.damaged.push_back(fmt::format("line {}: {}", rows_[i].line, failure.what()));
      }
    }
    std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                     [](const TraceJob& a, const TraceJob& b) { return a.submit < b.submit; });
    return std::move(trace_);
  }

 private:
  static constexpr std::array<std::string_view, 18> kColumns{
      "job",   "submit", "runtime", "limit", "slots",   "cores", "gpus",    "nodes",    "exclusive",
      "queue", "user",   "groups",  "bank",  "project", "qos",   "urgency", "requires", "dependency"};

  [[nodiscard]] std::string text(const CsvRow& row, std::string_view column) const {
    const auto at = columns_.find(column);
    if (at == columns_.end() || at->second >= row.fields.size()) return {};
    return std::string{trim(row.fields[at->second])};
  }

  [[nodiscard]] double number(const CsvRow& row, std::string_view column, double otherwise, double least,
                              double most, bool whole) const {
    const std::string word = text(row, column);
    if (word.empty() && otherwise >= least) return otherwise;
    const auto value = parse_number(word);
    if (!value || *value < least || *value > most || (whole && *value != std::floor(*value))) {
      throw error(Kind::invalid, "{}: expected a {}number from {} to {}, got {}", column,
                  whole ? "whole " : "", least, most, quote(word));
    }
    return *value;
  }

  void take(const CsvRow& row) {
    constexpr double kMostSeconds = 1e15, kMostUnits = 1e6;
    TraceJob job;
    job.id = static_cast<std::uint64_t>(number(row, "job", 0, 1, kMostSeconds, true));
    job.submit = number(row, "submit", -1, 0, kMostSeconds, false);
    job.runtime = number(row, "runtime", -1, 0, kMostSeconds, false);
    job.limit = number(row, "limit", 0, 0, kMostSeconds, false);
    const auto units = [&](std::string_view column, double otherwise, double least, double most) {
      return static_cast<std::uint32_t>(number(row, column, otherwise, least, most, true));
    };
    job.processors = units("slots", 1, 1, kMostUnits);
    job.cores = units("cores", 1, 1, kMostUnits);
    job.gpus = units("gpus", 0, 0, kMostUnits);
    job.nodes = units("nodes", 0, 0, kMostUnits);
    job.exclusive = units("exclusive", 0, 0, 1) == 1;
    job.urgency = static_cast<std::uint8_t>(units("urgency", job.urgency, 0, 31));
    if (job.exclusive && job.nodes == 0)
      throw Error{Kind::invalid, "exclusive: expected a number of nodes, too"};
    job.queue_name = text(row, "queue");
    job.bank = text(row, "bank");
    job.project = text(row, "project");
    job.qos = text(row, "qos");
    if (const std::string wanted = text(row, "requires"); !wanted.empty())
      job.constraint = dump_json(document::parse_constraint_syntax(wanted));
    const std::string dependencies = text(row, "dependency"), groups = text(row, "groups");
    for (const std::string_view word : words_of(dependencies)) job.after.push_back(dependency(word));
    if (!ids_.insert(job.id).second) throw error(Kind::invalid, "job {} is there already", job.id);
    job.user = user(text(row, "user"));
    for (const std::string_view group : words_of(groups)) trace_.groups[job.user].emplace(group);
    trace_.jobs.push_back(std::move(job));
  }

  [[nodiscard]] std::pair<document::DependencyKind, std::uint64_t> dependency(std::string_view word) const {
    using document::DependencyKind;
    const std::size_t colon = std::min(word.find(':'), word.size());
    const auto id = parse_u64(word.substr(std::min(colon + 1, word.size())));
    for (const DependencyKind kind :
         {DependencyKind::after_start, DependencyKind::after_any, DependencyKind::after_ok,
          DependencyKind::after_notok, DependencyKind::after_except}) {
      if (document::scheme(kind) != word.substr(0, colon)) continue;
      if (!id || !ids_.contains(*id))
        throw error(Kind::invalid, "dependency {}: no such job came before", quote(word));
      return {kind, *id};
    }
    throw error(Kind::invalid, "dependency {}: expected one like 'afterok:12'", quote(word));
  }

  // Numbers stand for themselves, names get others.
  std::int64_t user(const std::string& word) {
    if (word.empty()) return -1;
    constexpr std::uint64_t kMostUserid = 0x7FFFFFFF;
    if (const auto number = parse_u64(word); number && *number <= kMostUserid)
      return static_cast<std::int64_t>(*number);
    const auto [at, is_new] =
        users_.try_emplace(word, kFirstNamed + static_cast<std::int64_t>(users_.size()));
    if (is_new) trace_.names.emplace_back(at->second, word);
    return at->second;
  }

  static constexpr std::int64_t kFirstNamed = 0x80000000;
  std::vector<CsvRow> rows_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::set<std::uint64_t> ids_;
  std::unordered_map<std::string, std::int64_t> users_;
  Trace trace_;
};

}  // namespace

Trace read_trace(std::string_view text) {
  return Reader{}.read(text);
}

Trace read_job_table(std::string_view text) {
  return TableReader(text).read();
}

}  // namespace fq::sim
