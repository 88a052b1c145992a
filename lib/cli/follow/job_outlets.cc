#include "cli/follow/job_outlets.h"

#include <utility>

#include <fcntl.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/frame/output.h"

namespace fq::cli {
namespace {

/// The form of the id that a tag asks for: `id`, `jobid`, `id.dec`. Throws Error{usage} for other tags.
notation::IdForm id_form(std::string_view tag) {
  std::string_view form = tag.starts_with("job") ? tag.substr(3) : tag;
  if (form == "id") return notation::IdForm::f58;
  if (form.starts_with("id.")) return notation::parse_id_form(form.substr(3));
  throw error(Kind::usage, "--log: {{{{{}}}}}: only the job's {{{{id}}}} is known when it is submitted", tag);
}

template <typename Visit>
std::string with_tags(std::string_view path, Visit visit) {
  std::string out;
  for (;;) {
    const std::size_t open = path.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : path.find("}}", open);
    if (close == std::string_view::npos) return out.append(path);
    out.append(path.substr(0, open)).append(visit(id_form(path.substr(open + 2, close - open - 2))));
    path.remove_prefix(close + 2);
  }
}

}  // namespace

std::string log_path(std::string_view path, notation::JobId id) {
  return with_tags(path, [&](notation::IdForm form) { return notation::format_id(id, form); });
}

void JobOutlets::prepare(const JobFollow& follow) {
  for (const auto* path : {&follow.log, &follow.log_stderr}) {
    if (!*path) continue;
    bool later = false;
    static_cast<void>(with_tags(**path, [&](notation::IdForm) {
      later = true;
      return std::string{};
    }));
    if (!later) append(**path, {});
  }
}

void JobOutlets::append(const std::string& path, std::string_view text) {
  constexpr mode_t kMode = 0666;  // as the umask leaves it
  const bool is_new = files_.insert(path).second;
  const UniqueFd file =
      open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | (is_new ? O_TRUNC : 0), kMode);
  write_all(file.get(), text, path);
}

void JobOutlets::write(const JobFollow& follow, notation::JobId id, OutputTo to, std::string_view text) {
  if (text.empty()) return;
  const auto& path = to == OutputTo::err && follow.log_stderr ? follow.log_stderr : follow.log;
  if (path) {
    append(log_path(*path, id), text);
  } else {
    to_terminal(id, to, text);
  }
}

void JobOutlets::to_terminal(notation::JobId id, OutputTo to, std::string_view text) {
  const auto write = [to](std::string_view lines) {
    to == OutputTo::err ? print_error(lines) : print(lines);
  };
  if (progress_ == nullptr || !progress_->is_shown()) return write(text);
  // A bar cannot stand on a line that has begun.
  std::string& held = held_[{id.value, to}];
  held += text;
  const std::size_t end = held.rfind('\n') + 1;  // npos + 1 is 0
  if (end > 0) {
    progress_->clear();
    write(std::string_view{held}.substr(0, end));
    held.erase(0, end);
  }
  if (held.empty()) held_.erase({id.value, to});
}

void JobOutlets::flush() {
  for (const auto& [key, rest] : std::exchange(held_, {})) {
    progress_->clear();
    key.second == OutputTo::err ? print_error(rest + "\n") : print(rest + "\n");
  }
}

}  // namespace fq::cli
