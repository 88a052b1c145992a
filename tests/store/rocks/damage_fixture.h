// A store whose files a test alters.

#pragma once

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/rocks/database.h"
#include "store/rocks/salvage.h"
#include "store/rocks/snapshot.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {

class DamageTest : public testing::Test {
 protected:
  DamageTest() { Database::open(path(), true).close(); }

  [[nodiscard]] std::string path() const { return database_path(directory_.path()); }
  [[nodiscard]] std::string file(const std::string& name) const { return path() + "/" + name; }
  [[nodiscard]] std::string manifest() const {
    const std::string current = read_file(file("CURRENT"));
    return current.substr(0, current.size() - 1);
  }

  /// As many processes, which commit one key each.
  void commit(int count, bool to_tables = false) {
    for (int i = 0; i < count; ++i) {
      Database database = Database::open(path(), false);
      Transaction transaction = database.begin();
      transaction.put(Family::jobs, fmt::format("{:03}", keys_++), std::string(100, 'x'));
      to_tables ? transaction.commit_to_tables() : transaction.commit();
      database.close();
    }
  }
  [[nodiscard]] int found() const {
    int keys = 0;
    static_cast<void>(read_snapshot(directory_.path(), 1, [&](const Reader& reader) {
      keys = 0;
      for (const auto at = reader.scan(Family::jobs, "", ""); at->valid(); at->next()) ++keys;
    }));
    return keys;
  }
  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    const auto names = names_in(path());
    for (const std::string& name : *names) {
      if (name != "LOCK") files.emplace(name, read_file(file(name)));
    }
    return files;
  }
  /// What a reader and a writer say, who change nothing.
  [[nodiscard]] std::string refusal() {
    const auto before = contents();
    const std::string reading = error_text([&] { return found(); });
    const std::string writing = error_text([&] {
      commit(1);
      return 0;
    });
    EXPECT_EQ(reading, writing);
    EXPECT_EQ(contents(), before);
    return reading;
  }
  [[nodiscard]] std::string damaged(const std::string& what) const {
    return fmt::format(
        "the store '{}' is damaged: {} (fq fsck --repair mends it; until then --damaged shows what can be "
        "read)",
        directory_.path(), what);
  }
  void flip(const std::string& name, std::size_t at) {
    std::string bytes = read_file(file(name));
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 4);
    write_file(file(name), bytes);
  }
  [[nodiscard]] Mended repair() const {
    return repair_database(directory_.path(), [](Transaction&, const std::string&) {});
  }
  /// How many keys can be read of what is damaged.
  [[nodiscard]] int readable() const {
    int keys = 0;
    read_damaged(directory_.path(), [&](const Reader& reader, const std::vector<std::string>&) {
      for (const auto at = reader.scan(Family::jobs, "", ""); at->valid(); at->next()) ++keys;
    });
    return keys;
  }
  void restore(const std::map<std::string, std::string>& files) {
    for (const auto& [name, bytes] : files) write_file(file(name), bytes);
  }

  test::TempDirectory directory_;
  int keys_ = 0;
};

}  // namespace fq::store::rocks
