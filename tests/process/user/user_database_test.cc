// The names by which policies know users and groups are those of the system.

#include "process/user/user_database.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"

namespace fq::process {
namespace {

std::vector<std::vector<std::string>> table(const char* path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    auto& row = rows.emplace_back();
    for (const std::string_view field : split(line, ':')) row.emplace_back(field);
  }
  return rows;
}

TEST(UserDatabase, R33_18_R33_19_names_are_those_of_the_users_database) {
  // Every user of this machine: by name, in the first group and in every one that lists it.
  const auto users = table("/etc/passwd"), groups = table("/etc/group");
  ASSERT_FALSE(users.empty());
  for (const auto& user : users) {
    if (user.size() < 4) continue;
    const auto uid = static_cast<std::uint32_t>(parse_u64(user[2]).value_or(0));
    const auto same_uid = [&](const auto& other) { return other.size() > 2 && other[2] == user[2]; };
    if (*std::find_if(users.begin(), users.end(), same_uid) != user) continue;  // the first one has the name
    const Names names = look_up_names(uid, static_cast<std::uint32_t>(parse_u64(user[3]).value_or(0)));
    EXPECT_EQ(names.user, user[0]);
    for (const auto& group : groups) {
      if (group.size() < 4) continue;
      const auto members = split(group[3], ',');
      const bool in =
          group[2] == user[3] || std::find(members.begin(), members.end(), user[0]) != members.end();
      if (!in) continue;
      EXPECT_NE(std::find(names.groups.begin(), names.groups.end(), group[0]), names.groups.end())
          << user[0] << " in " << group[0];
    }
  }
}

}  // namespace
}  // namespace fq::process
