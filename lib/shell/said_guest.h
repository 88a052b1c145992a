// What the user's half of a shell gives of FLUX_JOB_GUEST_DIR to the keeper, which keeps it with the job's
// files as if tasks had put it there (meeting/own_guest.h): bounded in number and size, and no more than the
// user may have in the store.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "meeting/own_guest.h"

namespace fq::shell {

class SaidGuest {
 public:
  /// Of a job whose documents go into the directory, which is there; they may have `most` bytes in all.
  SaidGuest(std::string directory, std::uint64_t most) : directory_(std::move(directory)), most_(most) {}

  /// Appends to a document. Throws Error{invalid} for what no user's half says.
  void add(const std::string& name, std::string_view bytes);
  /// What is not kept, in words.
  [[nodiscard]] std::string left_out() const { return left_out_.text(); }

 private:
  struct Document {
    UniqueFd fd;  ///< of one that is kept
    std::uint64_t size = 0;
  };
  [[nodiscard]] UniqueFd create(const std::string& name) const;
  void give_up(const std::string& name, Document& document, std::string_view why);

  std::string directory_;
  std::uint64_t most_;
  std::uint64_t sum_ = 0;  ///< of those that are kept
  std::map<std::string, Document> documents_;
  meeting::LeftOut left_out_;
};

}  // namespace fq::shell
