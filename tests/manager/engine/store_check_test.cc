// Stores that may not be used.

#include "manager/engine/store_check.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "manager/core/change.h"
#include "records/instance.h"
#include "records/keys.h"
#include "store/rocks/database.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::manager {
namespace {

using test::Scenario;

TEST(StoreCheck, a_store_of_a_newer_version_is_refused) {
  // By readers and writers; nothing is changed.
  Scenario store;
  const auto set_format = [&](const std::string& format) {
    auto database = store::rocks::Database::open(store.session.store + "/db", /*create=*/false);
    auto transaction = database.begin();
    transaction.put(store::Family::instance, records::key::kFormat, format);
    transaction.commit();
    database.close();
  };
  const std::string now = fmt::format("{}", records::kFormatVersion);
  const std::string newer = fmt::format("{}", records::kFormatVersion + 1);
  set_format(newer);
  const std::string refusal =
      fmt::format("the store has format {}, made by a newer fq; this fq reads formats up to {}", newer, now);
  const auto read = [&] {
    query(store.session, [](const store::Reader&) {});
    return 0;
  };
  EXPECT_EQ(error_text(read), refusal);
  EXPECT_EQ(error_text([&] { return transact(store.session, [](Change&) {}); }), refusal);
  set_format(now);
  EXPECT_EQ(error_text(read), "no error");
}

TEST(StoreCheck, the_place_of_a_directory_is_kept_by_a_rename_and_not_by_a_copy) {
  // Also where a copy has the same times of change.
  namespace fs = std::filesystem;
  const test::TempDirectory directory;
  const std::string here = directory.path() + "/a", there = directory.path() + "/b";
  fs::create_directory(here);
  const std::string place = place_of(here);
  fs::copy(here, there, fs::copy_options::recursive);
  EXPECT_NE(place_of(there), place);
  fs::remove(there);
  fs::rename(here, there);
  EXPECT_EQ(place_of(there), place);
}

}  // namespace
}  // namespace fq::manager
