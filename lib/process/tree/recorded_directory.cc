#include "process/tree/recorded_directory.h"

#include <cerrno>
#include <string_view>

#include <sys/random.h>
#include <sys/stat.h>

namespace fq::process {
namespace {

constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr int kTries = 100;

}  // namespace

std::string make_recorded_directory(const std::string& stem, const RecordPath& record) {
  for (int i = 0; i < kTries; ++i) {
    unsigned char random[6];
    if (::getrandom(random, sizeof random, 0) != sizeof random) return {};
    std::string path = stem;
    for (const unsigned char byte : random) path += kCharacters[byte % kCharacters.size()];
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0) continue;  // another's, which is not to be recorded
    if (record) record(path);
    if (::mkdir(path.c_str(), 0700) == 0) return path;
    if (errno != EEXIST) return {};
  }
  errno = EEXIST;
  return {};
}

}  // namespace fq::process
