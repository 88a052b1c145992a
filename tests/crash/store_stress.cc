// store_stress STORE READS: four writer processes commit in loops (small commits, large ones that flush, and
// merges of files) while four reader processes make READS reads or more. No read may fail, be older than what
// was acknowledged before it began, or mix two commits. Prints the share of reads that had to be tried again,
// and how long reads took.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "store/rocks/database.h"
#include "store/rocks/merge.h"
#include "store/rocks/snapshot.h"
#include "store/store_lock.h"

namespace {

using namespace fq::store;
using namespace fq::store::rocks;
using Clock = std::chrono::steady_clock;

constexpr int kWriters = 4;
constexpr int kReaders = 4;
constexpr int kReadsPerCommit = 50;  ///< readers go on until there were so many commits
constexpr int kMaxReads = 1'000'000;

/// What the processes share.
struct Board {
  std::atomic<int> acknowledged{0};  ///< the number of the last commit
  std::atomic<int> reads{0};
  std::atomic<int> retried{0};
  std::atomic<bool> enough{false};
  std::atomic<int> microseconds[kMaxReads];
};

// Merges beside the others, who may do the same: then one of them finds other files than it planned for.
void merge(const std::string& store, int seed) {
  const std::string database = database_path(store);
  const std::string scratch = store + "/merge" + std::to_string(seed);
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directory(scratch);
  std::optional<MergePlan> plan;
  {
    const auto lock = StoreLock::acquire(store, 60, "store_stress");
    plan = plan_merge(database, 2);
  }
  if (!plan) return;
  try {
    const MergeResult result = do_merge(database, *plan, scratch);
    const auto lock = StoreLock::acquire(store, 60, "store_stress");
    static_cast<void>(install_merge(database, *plan, result, 2));
  } catch (const fq::Error&) {
  }
}

// Each family holds the number of the commit; the log has a byte for each.
void write(const std::string& store, Board& board, int seed) {
  for (int round = seed; !board.enough; ++round) {
    if (round % 97 == 0) merge(store, seed);
    const auto lock = StoreLock::acquire(store, 60, "store_stress");
    Database db = Database::open(database_path(store), /*create=*/false);
    rocks::Transaction t = db.begin();
    const int number = std::stoi(t.get(Family::jobs, "n").value_or("0")) + 1;
    for (const Family family : {Family::jobs, Family::index, Family::instance}) {
      t.put(family, "n", std::to_string(number));
    }
    t.put(Family::kvs, "filler/" + std::to_string(round % 50),
          std::string(round % 41 == 0 ? 400'000 : 10, 'x'));
    t.append(Family::kvs, "log", "x");
    t.commit();
    board.acknowledged = number;
    db.close();
  }
}

void read(const std::string& store, Board& board, int reads) {
  for (;;) {
    const int mine = board.reads++;
    if (mine >= kMaxReads || (mine >= reads && board.acknowledged >= reads / kReadsPerCommit)) return;
    const int floor = board.acknowledged;
    std::string jobs, index, instance;
    std::size_t log = 0;
    const auto start = Clock::now();
    const SnapshotStatistics statistics = read_snapshot(store, 60, [&](const Reader& r) {
      jobs = r.get(Family::jobs, "n").value_or("0");
      index = r.get(Family::index, "n").value_or("0");
      instance = r.get(Family::instance, "n").value_or("0");
      log = r.get(Family::kvs, "log").value_or("").size();
    });
    board.microseconds[mine] =
        static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
    if (statistics.tries > 1) ++board.retried;
    if (jobs != index || jobs != instance || std::to_string(log) != jobs) {
      std::printf("mixed: %s %s %s %zu\n", jobs.c_str(), index.c_str(), instance.c_str(), log);
      std::exit(1);
    }
    if (std::stoi(jobs) < floor) {
      std::printf("stale: %s, but %d was acknowledged\n", jobs.c_str(), floor);
      std::exit(1);
    }
  }
}

template <typename Act>
pid_t in_a_process(Act act) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  int code = 0;
  try {
    act();
  } catch (const std::exception& failure) {
    std::printf("%s\n", failure.what());
    code = 1;
  }
  std::fflush(stdout);
  ::_exit(code);
}

int run(const std::string& store, int reads) {
  fq::make_directory(store);
  // The engine's threads do not survive a fork: this process opens nothing.
  int status = 0;
  ::waitpid(in_a_process([&] { Database::open(database_path(store), /*create=*/true).close(); }), &status, 0);
  auto* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (status != 0 || memory == MAP_FAILED) return 2;
  auto& board = *new (memory) Board;
  std::vector<pid_t> writers, readers;
  for (int i = 0; i < kWriters; ++i)
    writers.push_back(in_a_process([&] { write(store, board, 1 + 24 * i); }));
  for (int i = 0; i < kReaders; ++i) readers.push_back(in_a_process([&] { read(store, board, reads); }));
  int failures = 0;
  for (const pid_t pid : readers) failures += ::waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
  board.enough = true;
  for (const pid_t pid : writers) failures += ::waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
  reads = std::min(board.reads.load() - kReaders, kMaxReads);
  std::vector<int> times(board.microseconds, board.microseconds + reads);
  std::sort(times.begin(), times.end());
  std::printf(
      "%d reads beside %d commits: %.2f %% tried again, median %.1f ms, p99 %.1f ms, %d processes failed\n",
      reads, board.acknowledged.load(), 100.0 * board.retried / reads, times[reads / 2] / 1e3,
      times[static_cast<std::size_t>(reads) * 99 / 100] / 1e3, failures);
  return failures == 0 && board.acknowledged > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int reads = argc == 3 ? std::atoi(argv[2]) : 0;
  if (reads < 1 || reads > kMaxReads) {
    std::fprintf(stderr, "store_stress: expected STORE READS\n");
    return 2;
  }
  return run(argv[1], reads);
}
