// Jobs as listings show them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "job/job.h"
#include "notation/fluid.h"

namespace fq::cli {

using job::Job;
using job::State;

inline constexpr double kNow = 1795257938.3;  // 2026-11-21 10:45:38 UTC

/// A pending job of root as the listings of Flux in the comments below show it.
inline Job make_job(std::string_view id, std::string name, std::string queue, State state,
                    std::uint32_t ntasks, double duration) {
  Job job;
  job.id = notation::parse_job_id(id);
  job.name = std::move(name);
  job.queue = std::move(queue);
  job.cwd = "/home/user";
  job.state = state;
  job.ntasks = ntasks;
  job.duration = duration;
  job.counts = {0, ntasks, 0, 1, 0, false};
  job.t_submit = 1795257931.4601645;
  if (state >= State::depend) job.t_depend = 1795257931.4720767;
  if (state >= State::sched) {
    job.priority = 16;
    job.t_priority = 1795257931.483468;
    job.t_sched = 1795257931.4836204;
  }
  return job;
}

/// The same, ended: ran `runtime` seconds on `nodelist`.
inline Job make_ended(std::string_view id, std::string name, std::string queue, std::uint32_t ntasks,
                      double runtime, std::uint32_t nnodes, std::string nodelist, int wait_status) {
  Job job = make_job(id, std::move(name), std::move(queue), State::inactive, ntasks, 600);
  job.nnodes = nnodes;
  job.ncores = ntasks;
  job.nodelist = std::move(nodelist);
  job.ranks = "0";
  job.t_run = 1795257932;
  job.t_cleanup = job.t_run + runtime;
  job.t_inactive = job.t_cleanup + 0.01;
  job.finished = true;
  job.wait_status = wait_status;
  return job;
}

}  // namespace fq::cli
