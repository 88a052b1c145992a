// A listing of jobs: what is asked, and all of it from one state of the store.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/engine/session.h"
#include "manager/look/query.h"
#include "manager/look/select.h"
#include "request/job_list.h"

namespace fq::manager {

using request::JobListHead;
using request::JobListRequest;
using request::JobListRows;

/// Lists jobs. Throws Error{not_found} for a queue that does not exist and has no jobs, and for hosts.
void list_jobs(const Session& session, const JobListRequest& request, const JobListRows& rows);

}  // namespace fq::manager
