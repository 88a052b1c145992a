// A database, and a directory for what is merged.

#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {

class MergeFixture : public testing::Test {
 protected:
  MergeFixture() {
    Database::open(path(), true).close();
    make_directory(scratch());
  }
  std::string path() const { return database_path(directory_.path()); }
  std::string scratch() const { return directory_.path() + "/scratch"; }

 private:
  test::TempDirectory directory_;
};

}  // namespace fq::store::rocks
