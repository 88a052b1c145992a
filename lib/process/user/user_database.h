// The system's databases of users and groups, which may be slow or far away.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fq::process {

/// What the system calls a user, and the groups that it is in.
struct Names {
  std::string user;
  std::vector<std::string> groups;
};

/// The names of a user and of the groups that it is in, as getgrouplist(3) has them. Numbers where there is
/// no name.
[[nodiscard]] Names look_up_names(std::uint32_t userid, std::uint32_t group_id);

/// What the system calls a user; the number where there is no name. May be slow.
[[nodiscard]] std::string look_up_user_name(std::uint32_t userid);

/// Why a user, or a group, of an access list matches nobody here: `no user 'rooot' is known here`, or `user 0
/// is called 'root' here` of a number, which stands only for who has no name. Nothing where one may match, or
/// that cannot be told now.
[[nodiscard]] std::optional<std::string> why_no_user(const std::string& name);
[[nodiscard]] std::optional<std::string> why_no_group(const std::string& name);

/// The number of a user by name, from the system's user database; nothing where there is none. May be slow.
[[nodiscard]] std::optional<std::uint32_t> look_up_user(const std::string& name);

/// The numbers of those in a group, or whose first group it is, from the system's databases; nothing where
/// there is no such group. May be slow.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> look_up_members(const std::string& group);

}  // namespace fq::process
