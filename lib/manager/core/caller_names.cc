#include "manager/core/caller_names.h"

#include <memory>

namespace fq::manager {

namespace {

// Leaves the transaction whose request needs names; never seen outside of with_names.
struct NamesNeeded {};

}  // namespace

const process::Names& caller_names(const Credential& caller) {
  if (!caller.names) throw NamesNeeded{};
  return *caller.names;
}

Session named(const Session& session) {
  Session with = session;
  if (!with.caller.names)
    with.caller.names = std::make_shared<const process::Names>(
        process::look_up_names(session.caller.uid, session.caller.gid));
  return with;
}

void with_names(const Session& session, const std::function<void(const Session&)>& request) {
  try {
    return request(session);
  } catch (const NamesNeeded&) {
  }
  request(named(session));
}

}  // namespace fq::manager
