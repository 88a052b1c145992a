// The projects of a book of accounts.

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/book.h"
#include "records/accounts.h"

namespace fq::manager {

namespace {

void check_project(const std::string& name) {
  if (const std::string fault = priority::account_name_fault("project", name); !fault.empty())
    throw error(Kind::invalid, "{}: {}", quote(name), fault);
}

void check_description(const std::string& description) {
  constexpr std::size_t kLongest = 1024;
  if (description.size() > kLongest)
    throw error(Kind::invalid, "a description has at most {} bytes", kLongest);
  if (description.find('\n') != std::string::npos) throw error(Kind::invalid, "a description is one line");
}

}  // namespace

void AccountBook::add_project(const std::string& name, const std::string& description) {
  check_project(name);
  check_description(description);
  if (records::find_project(change_.transaction(), name))
    throw error(Kind::refused, "project {} exists already", quote(name));
  records::write_project(change_.transaction(), {name, description});
}

void AccountBook::edit_project(const std::string& name, const std::string& description) {
  check_description(description);
  static_cast<void>(records::require_project(change_.transaction(), name));
  records::write_project(change_.transaction(), {name, description});
}

void AccountBook::delete_project(const std::string& name, InUse in_use) {
  static_cast<void>(records::require_project(change_.transaction(), name));
  load_all();
  for (auto& [member, association] : members_) {
    if (!association || association->closed) continue;
    std::vector<std::string>& projects = association->projects;
    const bool listed = std::find(projects.begin(), projects.end(), name) != projects.end();
    if (!listed && association->default_project != name) continue;
    if (in_use == InUse::refuse)
      throw Error{Kind::refused,
                  fmt::format("project {} is among those of user {} in bank {}", quote(name),
                              quote(association->user), quote(association->bank)),
                  "--force takes it from all who have it"};
    // A list of none would be one of all.
    if (projects.size() > 1) std::erase(projects, name);
    if (association->default_project == name) association->default_project.clear();
  }
  records::erase_project(change_.transaction(), name);
}

}  // namespace fq::manager
