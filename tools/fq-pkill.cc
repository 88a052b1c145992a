// fq-pkill: cancels the jobs whose name fits an expression.

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/jobs/job_search.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/end.h"
#include "request/find_job.h"
#include "request/job_list.h"
#include "request/wait.h"

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
  const tools::StoreSession store("fq-pkill", common);
  request::RaiseRequest request;
  request::JobListRequest listed;
  listed.filter = jobs.filter();
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&&) { request.found.clear(); };
  rows.row = [&](request::ListedJob&& job) {
    if (jobs.fits(job.job)) request.found.push_back(job.job.id);
    return request.found.size() < jobs.most();
  };
  store.get().ask(listed, rows);
  if (request.found.empty()) return 1;
  const request::RaiseReply reply = store.get().ask(request);
  cli::print(fmt::format("canceled {}\n", counted(reply.count, "job")));
  const int code = cli::print_refusals("fq-pkill", reply.refusals);
  if (wait) store.get().ask(request::WaitForJobsRequest{reply.done});
  return code;
}

}  // namespace

int fq::tools::command::pkill(int argc, char** argv) {
  return ::run(argc, argv);
}
