// Who may do what: the one place that decides. The owner of the store, root, and the operators that the
// configuration names may do everything to jobs, queues, nodes, reservations and accounts; users what
// concerns their own jobs. Where operators are configured, whoever is not the owner is asked for by name: all
// but is_owner are to be called from inside with_names, or with the names known
// (manager/core/caller_names.h).

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "manager/core/change.h"

namespace fq::manager {

/// The owner of the store, or root.
[[nodiscard]] bool is_owner(const Credential& caller, std::uint32_t owner);

/// The owner of the store, root, or an operator.
[[nodiscard]] bool is_operator(const store::Reader& reader, const Credential& caller);
[[nodiscard]] bool is_operator(Change& change);
/// The same in a look of its own.
[[nodiscard]] bool is_operator(const Session& session);
/// Who these are, for messages: `the owner`, or `the owner or an operator` where there are such.
[[nodiscard]] std::string_view operators_text(const store::Reader& reader);
/// Throws Error{permission} `only the owner may drain nodes` unless the caller is one of them.
void require_operator(const store::Reader& reader, const Credential& caller, std::string_view act);
void require_operator(Change& change, std::string_view act);
/// The same in a look of its own, before anything else is looked up.
void require_operator(const Session& session, std::string_view act);

/// What one caller may do, in one state of the store, with any number of jobs.
class Rights {
 public:
  /// Both outlive this.
  Rights(const store::Reader& reader, const Credential& caller) : reader_(reader), caller_(caller) {}

  [[nodiscard]] bool is_operator();
  /// Whether the caller may act on the job: its user and operators may.
  [[nodiscard]] bool may_act(const job::Job& job) { return is_user_of(job) || is_operator(); }
  /// Whether the job is the caller's: not where somebody else had this number when it was submitted.
  [[nodiscard]] bool is_user_of(const job::Job& job) const;
  /// Throws Error{permission} unless the caller may act on the job, or as require_sight.
  void require_access(const job::Job& job);

  /// Whether the caller sees jobs of all users: where the configuration does not make them private,
  /// everybody.
  [[nodiscard]] bool sees_all();
  /// Whether the caller sees jobs of this user.
  [[nodiscard]] bool sees(std::uint32_t userid) { return userid == caller_.uid || sees_all(); }
  /// Throws Error{not_found} `job ƒ… does not exist` for one that the caller does not see.
  void require_sight(const job::Job& job);
  /// Whether there is such a job, or was one that is purged, and the caller does not see it. Whose a purged
  /// one was is not known: it is nobody's.
  [[nodiscard]] bool is_hidden(notation::JobId id);
  /// The job. Throws as require_sight, and for one that there is not; to who sees all `job ƒ… was purged`.
  [[nodiscard]] job::Job require_job(notation::JobId id);
  /// What that says of one that there is not.
  [[nodiscard]] Error no_such_job(notation::JobId id);

 private:
  const store::Reader& reader_;
  const Credential& caller_;
  std::optional<bool> is_operator_, sees_all_;
};

/// Throws as Rights::require_access.
void require_access(Change& change, const job::Job& job);
void require_access(const store::Reader& reader, const Credential& caller, const job::Job& job);
/// Asks for the caller's names where one of the jobs is another user's, before anything is done to any.
void settle_access(Change& change, std::span<const notation::JobId> jobs);

/// Throws Error{permission} for an urgency that only operators may give.
void require_urgency(Change& change, std::uint8_t urgency);
/// Throws Error{refused} `job ƒ… is inactive`.
void require_active(const job::Job& job);

}  // namespace fq::manager
