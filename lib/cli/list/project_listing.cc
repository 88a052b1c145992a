#include "cli/list/project_listing.h"

#include <array>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"

namespace fq::cli {

using request::Project;

namespace {

struct ProjectRow {
  const Project* project;
};

template <std::size_t Resource>
Value used_hours(const ProjectRow& row, std::string_view, std::string&) {
  constexpr double kHour = 3600;
  return Value{row.project->seconds[Resource] / kHour};
}

constexpr std::array kProjectFields{
    Field<ProjectRow>{"project", "PROJECT", "name of the project",
                      [](const ProjectRow& r, std::string_view, std::string&) {
                        return Value{std::string_view{r.project->name}};
                      }},
    Field<ProjectRow>{"description", "DESCRIPTION", "what it is for",
                      [](const ProjectRow& r, std::string_view, std::string&) {
                        return Value{std::string_view{r.project->description}};
                      }},
    Field<ProjectRow>{
        "jobs", "JOBS", "jobs that have ended",
        [](const ProjectRow& r, std::string_view, std::string&) { return integer(r.project->jobs); }},
    Field<ProjectRow>{"core_hours", "CORE-HOURS", "used in all, not decayed", used_hours<0>},
    Field<ProjectRow>{"gpu_hours", "GPU-HOURS", "the same of GPUs", used_hours<1>},
    Field<ProjectRow>{"node_hours", "NODE-HOURS", "the same of nodes", used_hours<2>},
    Field<ProjectRow>{"users", "USERS", "users in banks who have it among their projects",
                      [](const ProjectRow& r, std::string_view, std::string& scratch) {
                        return Value{std::string_view{scratch = join(r.project->users, ",")}};
                      }},
};

constexpr std::array kProjectFormats{
    NamedFormat{"default", "what each is for, and what was used",
                "+:{project:<7} {jobs:>8} {core_hours:>12.2f} {gpu_hours:>12.2f} {node_hours:>12.2f} "
                "?+:{users:<5} ?+:{description:<11}"},
};

nlohmann::json project_object(const Project& project) {
  nlohmann::json object{{"project", project.name},
                        {"description", project.description},
                        {"jobs", project.jobs},
                        {"users", project.users}};
  for (std::size_t i = 0; i < priority::kResources; ++i)
    object[std::string{priority::kAmountNames[i]}] = project.seconds[i];
  return object;
}

}  // namespace

std::string list_projects(const std::vector<Project>& projects, const ListingOptions& options) {
  std::vector<ProjectRow> rows;
  for (const Project& project : projects) rows.push_back({&project});
  auto format = arrange<ProjectRow>(rows, options, "projects", kProjectFormats, kProjectFields);
  if (!options.json) return format.list(rows, options.no_header);
  nlohmann::json list = nlohmann::json::array();
  for (const ProjectRow& row : rows) list.push_back(project_object(*row.project));
  return dump_json({{"projects", std::move(list)}}) + "\n";
}

std::optional<std::string> project_formats_told(const ListingOptions& options) {
  return told_of_formats<ProjectRow>(options, "projects", kProjectFormats, kProjectFields);
}

void check_project_listing(const ListingOptions& options) {
  check_arrangement<ProjectRow>(options, "projects", kProjectFormats, kProjectFields);
}

}  // namespace fq::cli
