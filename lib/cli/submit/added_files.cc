#include "cli/submit/added_files.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

constexpr unsigned kRegularFile = 0100000;  // st_mode (RFC 37)
constexpr unsigned kTextMode = 0600;

struct AddedFile {
  std::string name;
  std::string content;
  unsigned mode = kTextMode;
};

// The permissions behind the last colon; nothing where a name may have a colon itself.
std::optional<unsigned> permissions(std::string_view text) {
  constexpr std::size_t kMost = 4;
  if (text.empty() || text.size() > kMost || text.find_first_not_of("01234567") != std::string_view::npos) {
    return std::nullopt;
  }
  unsigned mode = 0;
  for (const char digit : text) mode = mode * 8 + static_cast<unsigned>(digit - '0');
  return mode > 0777U ? std::nullopt : std::optional{mode};
}

std::string unescaped(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; ++at) text.replace(at, 2, "\n");
  return text;
}

AddedFile read_file(const std::string& path, const ReadInput& read) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw system_error("cannot open " + quote(path), errno);
  if (!S_ISREG(info.st_mode)) throw error(Kind::usage, "{} is not a regular file", quote(path));
  return {path.substr(path.rfind('/') + 1), read(path), static_cast<unsigned>(info.st_mode) & 0777U};
}

AddedFile read_option(const std::string& text, const ReadInput& read) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return read_file(text, read);
  std::string name = text.substr(0, equals);
  std::string what = text.substr(equals + 1);
  const std::size_t colon = name.rfind(':');
  const auto mode = colon == std::string::npos ? std::nullopt : permissions(name.substr(colon + 1));
  if (mode) name.resize(colon);
  const bool is_text = what.find('\n') != std::string::npos || what.find("\\n") != std::string::npos;
  AddedFile file = is_text ? AddedFile{name, unescaped(std::move(what))} : read_file(what, read);
  file.name = std::move(name);
  if (mode) file.mode = *mode;
  return file;
}

}  // namespace

void add_files(nlohmann::json& files, const std::vector<std::string>& texts, const ReadInput& read) {
  std::size_t size = 0;
  for (const std::string& text : texts) {
    const AddedFile file = read_option(text, read);
    if (file.name.empty() || file.name == "." || file.name == ".." || !is_valid_utf8(file.name) ||
        file.name.find('/') != std::string::npos) {
      throw error(Kind::usage, "{} is no name of a file", quote(file.name));
    }
    if (files.contains(file.name)) throw error(Kind::usage, "there is a file {} already", quote(file.name));
    size += file.content.size();
    if (size > kMaxAddedBytes) {
      throw Error{Kind::usage, fmt::format("more than {} bytes in all", kMaxAddedBytes),
                  "let the job read large files where they are"};
    }
    const bool is_text = is_valid_utf8(file.content) && file.content.find('\0') == std::string::npos;
    files[file.name] = {{"mode", kRegularFile | file.mode},
                        {"size", file.content.size()},
                        {"encoding", is_text ? "utf-8" : "base64"},
                        {"data", is_text ? file.content : encode_base64(file.content)}};
  }
}

}  // namespace fq::cli
