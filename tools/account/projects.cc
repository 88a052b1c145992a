// fq-account add-project, edit-project, delete-project, view-project and list-projects.

#include <algorithm>

#include "account/commands.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/list/project_listing.h"
#include "frame/store_session.h"
#include "request/accounts.h"

namespace fq::tools::account {

namespace {

void ask_for(const cli::CommonOptions& common, const request::EditAccountsRequest& request) {
  const tools::StoreSession store("fq-account", common);
  store.get().ask(request);
}

// What a project is called and what it is for.
request::AddProject read_project(int argc, char** argv, std::string_view name, std::string_view summary,
                                 cli::CommonOptions& common, bool describes) {
  request::AddProject project;
  std::optional<std::string> description;
  cli::OptionParser parser(fmt::format("fq-account {}", name), summary, {"PROJECT", 1, 1});
  parser.example(fmt::format("fq account {} laser --description='tunable lasers'", name));
  parser.group("Options");
  parser.option("--description", "TEXT", description, "what it is for, one line");
  cli::add_common_options(parser, common);
  project.name = parser.parse(argc, argv).front();
  if (describes && !description) throw Error{Kind::usage, "what is to be changed? give --description=TEXT"};
  project.description = description.value_or("");
  return project;
}

int show_projects(const cli::CommonOptions& common, const cli::ListingOptions& listing,
                  const std::optional<std::string>& wanted) {
  if (const auto told = cli::project_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_project_listing(listing);
  const tools::StoreSession store("fq-account", common);
  std::vector<request::Project> projects = store.get().ask(request::ProjectsRequest{}).projects;
  if (wanted) {
    std::vector<std::string> names;
    for (const request::Project& each : projects) names.push_back(each.name);
    std::erase_if(projects, [&](const request::Project& each) { return each.name != *wanted; });
    if (projects.empty())
      throw Error{Kind::not_found, fmt::format("project {} does not exist", quote(*wanted)),
                  did_you_mean(*wanted, names)};
  }
  cli::print(cli::list_projects(projects, listing));
  return 0;
}

}  // namespace

int add_project(int argc, char** argv) {
  cli::CommonOptions common;
  const request::AddProject project = read_project(
      argc, argv, "add-project", "add a project: jobs may name only those there are", common, false);
  ask_for(common, {project});
  return 0;
}

int edit_project(int argc, char** argv) {
  cli::CommonOptions common;
  const request::AddProject project =
      read_project(argc, argv, "edit-project", "say what a project is for", common, true);
  ask_for(common, {request::EditProject{project.name, project.description}});
  return 0;
}

int delete_project(int argc, char** argv) {
  cli::CommonOptions common;
  bool force = false;
  cli::OptionParser parser("fq-account delete-project",
                           "delete a project; without any, jobs may name what they like", {"PROJECT", 1, 1});
  parser.example("fq account delete-project laser");
  parser.group("Options");
  parser.flag("--force", force, "and take it from all users who have it");
  cli::add_common_options(parser, common);
  const std::string name = parser.parse(argc, argv).front();
  ask_for(common, {request::DeleteProject{name, force ? request::InUse::close : request::InUse::refuse}});
  return 0;
}

int view_project(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-account view-project", "show a project and what was used for it",
                           {"PROJECT", 1, 1});
  parser.example("fq account view-project laser");
  parser.group("Options");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  const std::string name = parser.parse(argc, argv).front();
  return show_projects(common, listing, name);
}

int list_projects(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-account list-projects", "list the projects and what was used for them");
  parser.example("fq account list-projects --sort=-core_hours");
  parser.group("Options");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  return show_projects(common, listing, std::nullopt);
}

}  // namespace fq::tools::account
