#include "store/rocks/sparing_table_factory.h"

#include <string>

#include <gtest/gtest.h>
#include <rocksdb/iostats_context.h>
#include <rocksdb/perf_level.h>

#include "store/rocks/database.h"
#include "store/rocks/merge.h"
#include "store/rocks/read_only_database.h"
#include "store/store_lock.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {
namespace {

std::string key(int number) {
  return fmt::format("{:0200}", number);
}

TEST(SparingTables, a_look_up_in_a_large_table_reads_only_the_parts_that_it_needs) {
  const test::TempDirectory directory;
  const std::string path = database_path(directory.path());
  {
    Database db = Database::open(path, true);
    Transaction t = db.begin();
    for (int number = 0; number < 50'000; ++number) t.put(Family::jobs, key(number), key(number + 1));
    t.commit_to_tables();
  }
  merge_at_once(path, plan_merge(path, 1).value());  // of those in level 0 it reads all parts
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_iostats_context()->Reset();
  ReadOnlyDatabase reader(path);
  EXPECT_EQ(reader.get(Family::jobs, key(40'000)), key(40'001));
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  // Whoever reads all parts reads 119 KB, of the larger tables of a store 512 KiB.
  EXPECT_LT(rocksdb::get_iostats_context()->bytes_read, 50'000U);
}

}  // namespace
}  // namespace fq::store::rocks
