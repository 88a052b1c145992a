// Stored records come back as they were, from wherever the engine holds them, and damage is seen.

#include "records/job_record.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "records/job_class.h"
#include "records/keys.h"

namespace fq::records {
namespace {

job::Job sample() {
  job::Job job;
  job.id = {0x17e9fb8df16c2e};
  job.name = "näme";
  job.cwd = "/tmp";
  job.queue = "batch";
  job.ntasks = 3;
  job.duration = 60.5;
  job.state = job::State::sched;
  job.userid = 1000;
  job.priority = 4294967295;
  job.dependencies = {"after-ok=ƒ1", "begin-time=7"};
  job.annotations = R"({"sched":{}})";
  job.exception = {true, 0, "cancel", "note"};
  job.t_submit = 1700000000.123456;
  job.prologs = 1;
  job.epilogs = 2;
  job.epilog_done = job.prolog_failed = true;
  return job;
}

/// `bytes` at an address that is `offset` past a multiple of 16.
class Shifted {
 public:
  Shifted(std::string_view bytes, std::size_t offset)
      : buffer_(bytes.size() + 32, '\0'), size_(bytes.size()) {
    start_ = 16 - reinterpret_cast<std::uintptr_t>(buffer_.data()) % 16 + offset;
    bytes.copy(buffer_.data() + start_, size_);
  }
  [[nodiscard]] std::string_view view() const { return std::string_view{buffer_}.substr(start_, size_); }

 private:
  std::string buffer_;
  std::size_t size_;
  std::size_t start_ = 0;
};

TEST(JobRecord, comes_back_from_any_address) {
  const job::Job job = sample();
  const std::string bytes = encode(job);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    EXPECT_EQ(decode_job(Shifted(bytes, offset).view()), job) << offset;
  }
}

TEST(JobRecord, damage_is_refused) {
  // Cut short anywhere, it is an error and no crash.
  const std::string bytes = encode(sample());
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    try {
      static_cast<void>(decode_job(std::string_view{bytes}.substr(0, size)));
    } catch (const Error& failure) {
      EXPECT_EQ(failure.kind(), Kind::unavailable);
      continue;
    }
    // The end may be padding.
    EXPECT_GT(size + 8, bytes.size());
  }
}

TEST(ClassRecord, comes_back_from_any_address) {
  JobClass c = class_of(sample());
  c.count = 7;
  c.head_time = 5;
  c.head = {9};
  const std::string bytes = encode(c);
  const std::string key = key::job_class(c.id);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    const JobClass back = decode_class(key, Shifted(bytes, offset).view());
    EXPECT_EQ(back.id, c.id);
    EXPECT_EQ(back.queue, "batch");
    EXPECT_EQ(back.count, 7U);
    EXPECT_EQ(back.head, c.head);
  }
}

}  // namespace
}  // namespace fq::records
