#include "cli/jobs/job_selection.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <pwd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

using job::Result;
using job::State;

struct Word {
  std::string_view name, letters;
  std::vector<State> states;
  std::optional<Result> result;
};

const std::vector<Word>& words() {
  static const std::vector<Word> kWords{
      {"depend", "d", {State::depend}, {}},
      {"priority", "p", {State::priority}, {}},
      {"sched", "s", {State::sched}, {}},
      {"run", "r", {State::run}, {}},
      {"cleanup", "c", {State::cleanup}, {}},
      {"inactive", "i", {State::inactive}, {}},
      {"pending", "", {State::depend, State::priority, State::sched}, {}},
      {"running", "", {State::run, State::cleanup}, {}},
      {"active", "", {State::depend, State::priority, State::sched, State::run, State::cleanup}, {}},
      {"completed", "cd", {State::inactive}, Result::completed},
      {"failed", "f", {State::inactive}, Result::failed},
      {"canceled", "ca", {State::inactive}, Result::canceled},
      {"timeout", "to", {State::inactive}, Result::timeout},
  };
  return kWords;
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

const Word& find_word(std::string_view text) {
  const std::string name = lower(text);
  for (const Word& word : words()) {
    if (word.name == name || (!word.letters.empty() && word.letters == name)) return word;
  }
  // As Slurm has them.
  if (name == "pd") throw Error{Kind::usage, "unknown state " + quote(text), "did you mean 'pending'?"};
  std::vector<std::string> names, both;
  for (const Word& word : words()) {
    names.emplace_back(word.name);
    both.push_back(word.letters.empty() ? names.back() : fmt::format("{} or {}", word.name, word.letters));
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = join(both, ", ");
  throw Error{Kind::usage, fmt::format("unknown state {}", quote(text)), hint};
}

}  // namespace

StateSelection parse_states(std::string_view text) {
  StateSelection selection;
  bool any_result = false;
  for (const std::string_view part : split(text, ',')) {
    const Word& word = find_word(trim(part));
    selection.states.insert(word.states.begin(), word.states.end());
    if (word.result) selection.results.insert(*word.result);
    if (word.name == "inactive") any_result = true;
  }
  if (any_result) selection.results.clear();
  return selection;
}

std::set<job::State> active_states() {
  return {State::depend, State::priority, State::sched, State::run, State::cleanup};
}

std::optional<std::uint32_t> parse_user(std::string_view text) {
  if (text == "all") return std::nullopt;
  const std::string name{text};
  if (const passwd* entry = ::getpwnam(name.c_str())) return entry->pw_uid;
  const auto number = parse_u64(text);
  if (number && *number <= UINT32_MAX) return static_cast<std::uint32_t>(*number);
  throw error(Kind::not_found, "user {} does not exist", quote(text));
}

request::JobFilter selection(const std::optional<std::string>& user, const std::vector<std::string>& queues) {
  request::JobFilter filter;
  filter.userid = user ? parse_user(*user) : std::optional<std::uint32_t>{::getuid()};
  std::set<std::string> names;
  for (const std::string& list : queues) {
    for (const std::string_view name : split(list, ',')) names.emplace(name);
  }
  if (!names.empty() && !names.contains("all")) filter.queues = std::move(names);
  return filter;
}

void select_states(request::JobFilter& filter, const std::optional<std::string>& text, bool all) {
  if (text) {
    StateSelection selected = parse_states(*text);
    filter.states = std::move(selected.states);
    filter.results = std::move(selected.results);
  } else if (!all) {
    filter.states = active_states();
  }
}

}  // namespace fq::cli
