#include "cli/frame/spool.h"

#include <cerrno>

#include "base/error.h"

namespace fq::cli {
namespace {

constexpr std::size_t kInMemory = 4U << 20U;
constexpr std::size_t kPiece = 64U << 10U;

}  // namespace

void Spool::relieve() {
  if (text_.size() < kInMemory) return;
  if (!file_) file_.reset(std::tmpfile());
  if (!file_ || std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size() ||
      std::fflush(file_.get()) != 0) {
    throw system_error("cannot keep a long output in a temporary file", errno);
  }
  text_.clear();
}

void Spool::clear() {
  text_.clear();
  file_.reset();
}

void Spool::visit(const std::function<void(std::string_view)>& take) const {
  if (file_) {
    std::rewind(file_.get());
    std::string piece(kPiece, '\0');
    while (const std::size_t n = std::fread(piece.data(), 1, kPiece, file_.get())) take({piece.data(), n});
    if (std::ferror(file_.get()) != 0) throw system_error("cannot read a temporary file", errno);
  }
  take(text_);
}

}  // namespace fq::cli
