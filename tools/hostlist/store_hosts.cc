#include "hostlist/store_hosts.h"

#include <cstdlib>

#include "base/error.h"
#include "cli/frame/job_values.h"
#include "cli/list/resource_choice.h"
#include "request/find_job.h"
#include "request/nodes.h"

namespace fq::tools::hostlist {

using notation::Hostlist;
using request::ResourceUse;

namespace {

std::optional<notation::JobId> plain_id(const std::string& source) {
  if (source.find_first_of("[],") != std::string::npos) return std::nullopt;
  try {
    return cli::parse_job_id(source);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Hostlist> StoreHosts::find(const std::string& source) {
  if (source == "instance") return all();
  if (source == "avail" || source == "available") return available();
  if (source == "local") return local();
  if (source.starts_with("ƒ")) return of_job(cli::parse_job_id(source));
  const auto id = plain_id(source);
  if (!id) return std::nullopt;
  try {
    return of_job(*id);
  } catch (const Error& failure) {
    if (failure.kind() != Kind::not_found) throw;
    if (fallback_ || (source.starts_with('f') && !store_)) return std::nullopt;
    throw Error{Kind::not_found, failure.what(), "-f takes what is no job for a host"};
  }
}

Hostlist StoreHosts::local() {
  for (const char* name : {"FQ_JOB_ID", "FLUX_JOB_ID"}) {
    const char* own = std::getenv(name);
    if (own == nullptr || *own == '\0') continue;
    try {
      return of_job(cli::parse_job_id(own));
    } catch (const Error& failure) {
      // A batch job has an instance to itself, which does not know the job.
      if (failure.kind() != Kind::not_found) throw;
    }
  }
  return all();
}

const door::Door& StoreHosts::door() {
  if (!store_) store_.emplace("fq-hostlist", common_);
  return store_->get();
}

Hostlist StoreHosts::all() {
  const ResourceUse use = door().ask(request::ResourceUseRequest{});
  return Hostlist::decode(
      cli::without_properties(use.inventory).unite(cli::without_properties(use.excluded)).nodelist());
}

Hostlist StoreHosts::available() {
  const ResourceUse use = door().ask(request::ResourceUseRequest{});
  const auto ranks = use.inventory.ranks().subtract(cli::ranks_out_of_use(use));
  return Hostlist::decode(cli::without_properties(use.inventory).subset(ranks).nodelist());
}

Hostlist StoreHosts::of_job(notation::JobId id) {
  return Hostlist::decode(door().ask(request::FindJobRequest{id}).job.nodelist);
}

}  // namespace fq::tools::hostlist
