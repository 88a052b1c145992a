#include "exec.h"

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cgroup.h"
#include "container.h"
#include "fd.h"
#include "gpus.h"
#include "nonce.h"
#include "record.h"
#include "session.h"
#include "sign.h"
#include "signature/exec_message.h"
#include "signature/fields.h"
#include "signature/refused.h"
#include "signature/signed_request.h"

namespace fq::imp {

using signature::ExecMessage;
using signature::Refused;
using signature::SignedRequest;

namespace {

ExecMessage read_message() {
  std::string size;
  for (std::string next = read_exactly(1); next != ":"; next = read_exactly(1)) {
    if (size.size() == 8) throw Refused("the message has no size");
    size += next;
  }
  return signature::decode_message(
      read_exactly(signature::parse_number(size, "the size of the message", signature::kMostMessage)));
}

// What the user's half reads: it cannot be changed any more.
Fd job_file(const ExecMessage& message, const SignedRequest& request) {
  Fd file{::memfd_create("job", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  const std::string job =
      signature::encode_job({message.id, message.attempt, message.end, message.R, request.payload,
                             request.count, message.index, message.values});
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  write_output(file.get(), job);
  if (::lseek(file.get(), 0, SEEK_SET) != 0 || ::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    throw Failed("cannot hand the job over");
  return file;
}

void require_pipe(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) throw Refused("descriptors 0 and 1 must be pipes");
}

int run(const ExecMessage& message, const SignedRequest& request, const User& user, Nonce& nonce,
        Record& record) {
  const Session session(user);
  const Fd job = job_file(message, request);
  const std::string name =
      message.store + "." + std::to_string(message.id) + "." + std::to_string(message.attempt);
  const GpuFiles gpus = gpus_beside(message.R);
  std::vector<std::string> environment = session.environment();
  // What can open some of them only counts those from 0.
  if (!gpus.hidden.empty()) environment.push_back("FQ_GPUS_SHOWN=" + gpus.shown);
  Container container(user, std::move(environment), job, gpus.hidden);
  record.set_first(container.first(), join_new_cgroup(name, container.first()));
  container.start();
  nonce.close();
  try {
    write_output(2, "started\n");
    forget_expired();
  } catch (const std::exception&) {
    // Whether the keeper listens, and what is old, does not concern the job.
  }
  return container.wait();
}

}  // namespace

void exec(const Caller& caller) {
  require_batch_user(caller);
  become_root();
  if (is_within_job()) throw Refused("this is not for processes within a job");
  require_pipe(0);
  require_pipe(1);
  const ExecMessage message = read_message();
  const SignedRequest request = verify_here(message.J, message.store);
  signature::require_part(request, message.index, message.values, message.proof);
  const User user = look_up_user(request.userid);
  if (user.name != request.user)
    throw Refused("J was signed by '" + request.user + "', who is '" + user.name + "' now");

  Record record(request.store, message.number, message.id);
  if (record.open_running().valid()) throw Refused("this job runs already");
  if (message.attempt <= record.attempt())
    throw Refused("attempt " + std::to_string(message.attempt) + " of this job is over");
  Nonce nonce(request, message.index);
  nonce.begin(message.attempt, request);
  try {
    record.begin(message.attempt, user.uid, user.gid);
    const int code = run(message, request, user, nonce, record);
    record.remove_cgroup();
    write_output(2, "ended " + std::to_string(code) + "\n");
  } catch (...) {
    nonce.give_back();  // if nothing has run
    throw;
  }
}

}  // namespace fq::imp
