#include "cli/frame/own_names.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(OwnNames, stand_for_commands_alone) {
  // Behind quotes and brackets, too; not in other words, and not for what is no command.
  EXPECT_EQ(with_own_names("fq init makes one, and fq submit does where none is named"),
            "fq-init makes one, and fq-submit does where none is named");
  EXPECT_EQ(with_own_names("  fq jobs -no '{id}' | fq job id"), "  fq-jobs -no '{id}' | fq-job id");
  EXPECT_EQ(with_own_names("(did you mean 'fq batch'?) `fq R`"), "(did you mean 'fq-batch'?) `fq-R`");
  for (const char* other :
       {"", "fq", "fq ", "fq COMMAND", "fq alone", "fqueue init", "of-fq init", "/bin/fq init"})
    EXPECT_EQ(with_own_names(other), other);
}

}  // namespace
}  // namespace fq::cli
