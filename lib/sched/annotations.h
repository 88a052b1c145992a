// The dictionary of annotations that the job manager keeps for each job (RFC 27, Alloc Annotate).

#pragma once

#include <string>
#include <string_view>

namespace fq::sched {

/// `base` updated by `update`, both JSON object texts or empty for none; the result is compact JSON with keys
/// in alphabetic order, empty when no key is left. A dictionary onto a dictionary is merged key by key, any
/// other value replaces what is there, null removes it. Where there is nothing null adds nothing, nor does a
/// dictionary that holds only nulls. Throws Error{invalid} when a text is not a JSON object.
[[nodiscard]] std::string merge_annotations(std::string_view base, std::string_view update);

/// `{"sched":{"resource_summary":…}}`, with which a SUCCESS also deletes what was said while the job waited.
[[nodiscard]] std::string allocated_annotations(std::string_view resource_summary);
/// `{"sched":{"reason_pending":…}}`, with which an ANNOTATE also sets `t_estimate` (seconds since the epoch),
/// or deletes it when that is 0.
[[nodiscard]] std::string pending_annotations(std::string_view reason, double t_estimate = 0);

}  // namespace fq::sched
