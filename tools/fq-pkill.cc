// fq-pkill: cancels the jobs whose name fits an expression.

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/store_session.h"
#include "cli/list/job_search.h"
#include "commands.h"
#include "manager/jobs/cancel.h"
#include "manager/look/job_list.h"
#include "manager/look/wait.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::SearchOptions search;
  bool wait = false;
  cli::OptionParser parser("fq-pkill", "cancel jobs whose name fits an expression",
                           {"EXPRESSION [ID..ID]", 0, 2});
  parser.example("fq pkill '^frame-'");
  parser.example("fq pkill -f pending .");
  parser.group("Which jobs");
  cli::add_search_options(parser, search);
  parser.group("How");
  parser.flag("-w,--wait", wait, "wait until they have ended");
  cli::add_common_options(parser, common);
  const std::vector<std::string> words = parser.parse(argc, argv);
  if (words.empty())
    throw Error{Kind::usage, "which jobs? give an expression for their names", "'.' fits any"};

  const cli::JobSearch jobs(search, words);
  const cli::StoreSession store("fq-pkill", common);
  manager::RaiseRequest request;
  manager::JobListRequest listed;
  listed.filter = jobs.filter();
  manager::JobListRows rows;
  rows.begin = [&](manager::JobListHead&&) { request.found.clear(); };
  rows.row = [&](manager::ListedJob&& job) {
    if (jobs.fits(job.job)) request.found.push_back(job.job.id);
    return request.found.size() < jobs.most();
  };
  manager::list_jobs(store.get(), listed, rows);
  if (request.found.empty()) return 1;
  const manager::RaiseReply reply = manager::raise(store.get(), request);
  cli::print(fmt::format("canceled {}\n", counted(reply.count, "job")));
  const int code = cli::print_refusals("fq-pkill", reply.refusals);
  if (wait) manager::wait_inactive(store.get(), reply.done);
  return code;
}

}  // namespace

int fq::tools::command::pkill(int argc, char** argv) {
  return ::run(argc, argv);
}
