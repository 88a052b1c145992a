#include "door/signer.h"

#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/requeue.h"
#include "process/start/connected_child.h"
#include "request/signed_form.h"
#include "signature/keys.h"

namespace fq::door {
namespace {

// A start that failed before anything of the job ran is tried again so often.
constexpr int kRestarts = 100;
// Seconds until J is void: a job waits no longer for its start.
constexpr int kLife = 90 * 24 * 60 * 60;

// How often a job may run again after a preemption; what the first of the group says is for all.
std::uint32_t reruns_of(const request::JobGroup& group) {
  const std::string text = group.jobspec_text(0, group.copies.empty() ? 0 : group.copies.first());
  return document::allowed_requeues(document::Jobspec::parse(text)).value_or(0);
}

constexpr std::string_view kComplains = "fq-imp: ";
constexpr int kRefused = 1;

}  // namespace

request::SubmitRequest signed_request(const request::SubmitRequest& request,
                                      const std::vector<std::string>& command, const std::string& store) {
  request::SubmitRequest out = request;
  for (request::JobGroup& group : out.groups) {
    group.require_form();
    const request::SignedForm form(group);
    std::vector<std::string> words = command;
    words.insert(words.end(), {"sign", store, fmt::format("{}", kRestarts),
                               fmt::format("{}", reruns_of(group)), fmt::format("{}", kLife)});
    if (form.count() > 0)
      words.insert(words.end(), {fmt::format("{}", form.count()), signature::to_base64(form.root())});
    process::Answer answer = process::ask_program(words, form.payload());
    if (answer.code != 0) {
      std::string_view why = answer.errors;
      if (why.starts_with(kComplains)) why.remove_prefix(kComplains.size());
      why = why.substr(0, why.find('\n'));
      throw error(answer.code == kRefused ? Kind::permission : Kind::unavailable,
                  "the job cannot be signed: {}", why.empty() ? "fq-imp failed" : printable(why));
    }
    group.J = std::move(answer.output);
  }
  return out;
}

}  // namespace fq::door
