#include "process/user/user_database.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {
namespace {

// What the databases of users and groups may need for one entry.
constexpr std::size_t kMaxEntry = std::size_t{1} << 20;

// Calls one of the reentrant look-ups with a buffer that grows until the entry fits, and returns what `use`
// makes of the code and of the entry, null where there is none; ERANGE for one that is too large.
template <typename Entry, typename LookUp, typename Key, typename Use>
auto with_entry(LookUp function, Key key, const Use& use) {
  for (std::size_t size = 1024; size <= kMaxEntry; size *= 4) {
    std::vector<char> buffer(size);
    Entry entry{};
    Entry* found = nullptr;
    const int code = function(key, &entry, buffer.data(), buffer.size(), &found);
    if (code != ERANGE) return use(code, found);
  }
  return use(ERANGE, static_cast<Entry*>(nullptr));
}

template <typename Entry, typename LookUp>
std::optional<std::string> look_up(LookUp function, std::uint32_t id, char* Entry::*name,
                                   std::uint32_t* group) {
  return with_entry<Entry>(function, id, [&](int, const Entry* found) -> std::optional<std::string> {
    if (found == nullptr) return std::nullopt;
    if constexpr (std::is_same_v<Entry, passwd>) *group = found->pw_gid;
    return std::string{found->*name};
  });
}

// Whether there is an entry of this name; true too where that cannot be told now.
template <typename Entry, typename LookUp>
bool is_known(LookUp function, const std::string& name) {
  return with_entry<Entry>(function, name.c_str(), [](int code, const Entry* found) {
    // The codes by which getpwnam(3) says that there is none.
    constexpr std::array kNotFound{0, ENOENT, ESRCH, EBADF, EPERM};
    return found != nullptr || std::find(kNotFound.begin(), kNotFound.end(), code) == kNotFound.end();
  });
}

// An access list may name what has no name by its number, as look_up_names writes it.
template <typename Entry, typename ByName, typename ById>
std::optional<std::string> why_none(std::string_view thing, ByName by_name, ById by_id, char* Entry::*name_of,
                                    const std::string& name) {
  if (is_known<Entry>(by_name, name)) return std::nullopt;
  const auto number = parse_u64(name);
  if (!number || *number > UINT32_MAX || std::to_string(*number) != name) {
    return fmt::format("no {} {} is known here", thing, quote(name));
  }
  std::uint32_t unused = 0;
  const auto called = look_up<Entry>(by_id, static_cast<std::uint32_t>(*number), name_of, &unused);
  if (!called) return std::nullopt;
  return fmt::format("{} {} is called {} here", thing, name, quote(*called));
}

}  // namespace

Names look_up_names(std::uint32_t userid, std::uint32_t group_id) {
  Names names;
  std::uint32_t first_group = group_id;
  const auto user = look_up<passwd>(::getpwuid_r, userid, &passwd::pw_name, &first_group);
  names.user = user.value_or(std::to_string(userid));
  std::vector<gid_t> groups{group_id};
  if (user) {
    int count = 64;
    groups.resize(static_cast<std::size_t>(count));
    while (::getgrouplist(user->c_str(), first_group, groups.data(), &count) < 0) {
      groups.resize(std::max(groups.size() * 2, static_cast<std::size_t>(count)));
      count = static_cast<int>(groups.size());
    }
    groups.resize(static_cast<std::size_t>(count));
  }
  for (const gid_t group : groups) {
    std::uint32_t unused = 0;
    names.groups.push_back(
        look_up<::group>(::getgrgid_r, group, &::group::gr_name, &unused).value_or(std::to_string(group)));
  }
  return names;
}

std::string look_up_user_name(std::uint32_t userid) {
  std::uint32_t unused = 0;
  return look_up<passwd>(::getpwuid_r, userid, &passwd::pw_name, &unused).value_or(std::to_string(userid));
}

std::optional<std::string> why_no_user(const std::string& name) {
  return why_none("user", ::getpwnam_r, ::getpwuid_r, &passwd::pw_name, name);
}

std::optional<std::string> why_no_group(const std::string& name) {
  return why_none("group", ::getgrnam_r, ::getgrgid_r, &::group::gr_name, name);
}

std::optional<std::uint32_t> look_up_user(const std::string& name) {
  return with_entry<passwd>(::getpwnam_r, name.c_str(), [](int, const passwd* found) {
    return found == nullptr ? std::nullopt : std::optional<std::uint32_t>{found->pw_uid};
  });
}

std::optional<std::vector<std::uint32_t>> look_up_members(const std::string& group) {
  std::vector<std::string> names;
  const auto number = with_entry<::group>(::getgrnam_r, group.c_str(),
                                          [&](int, const ::group* found) -> std::optional<gid_t> {
                                            if (found == nullptr) return std::nullopt;
                                            for (char** member = found->gr_mem; *member != nullptr; ++member)
                                              names.emplace_back(*member);
                                            return found->gr_gid;
                                          });
  if (!number) return std::nullopt;
  std::vector<std::uint32_t> members;
  for (const std::string& name : names) {
    if (const auto userid = look_up_user(name)) members.push_back(*userid);
  }
  ::setpwent();
  while (const passwd* user = ::getpwent()) {
    if (user->pw_gid == *number) members.push_back(user->pw_uid);
  }
  ::endpwent();
  return members;
}

}  // namespace fq::process
