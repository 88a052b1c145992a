// One table of cases over each engine, and a law: after the same random batches both hold the same.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "store/engines.h"

namespace fq::store {
namespace {

std::string contents(const Reader& reader, Family family, std::string_view from = "",
                     std::string_view to = "") {
  std::string out;
  for (const auto at = reader.scan(family, from, to); at->valid(); at->next()) {
    if (at->key() != kTransactionKey) out.append(at->key()).append("=").append(at->value()).append(" ");
  }
  return out;
}

std::string joined(const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) out.append(key).append(" ");
  return out;
}

struct Case {
  std::string name;
  std::function<void(test::Engine&)> run;
};

void commit(test::Engine& engine, const std::function<void(Transaction&)>& change) {
  const auto t = engine.begin();
  change(*t);
  t->commit();
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"what_is_committed_is_seen_by_the_next_transaction",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           t.put(Family::kvs, "k", "a");
           t.put(Family::jobs, "j", "1");
           t.put(Family::index, "i", "");
         });
         commit(engine, [](Transaction& t) {
           t.append(Family::kvs, "k", "b");
           t.append(Family::kvs, "new", "c");
         });
         const auto t = engine.begin();
         EXPECT_EQ(contents(*t, Family::kvs), "k=ab new=c ");
         EXPECT_EQ(contents(*t, Family::jobs) + contents(*t, Family::index), "j=1 i= ");
         EXPECT_EQ(engine.transaction_number(), 2U);
         EXPECT_EQ(transaction_number(*t), 2U);
       }},
      {"a_transaction_reads_its_own_writes",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           t.put(Family::index, "a", "1");
           t.put(Family::index, "b", "2");
         });
         const auto t = engine.begin();
         EXPECT_TRUE(t->empty());
         t->erase(Family::index, "a");
         t->put(Family::index, "c", "3");
         t->put(Family::index, "b", "4");
         EXPECT_FALSE(t->empty());
         EXPECT_GT(t->bytes(), 0U);
         EXPECT_EQ(contents(*t, Family::index), "b=4 c=3 ");
         EXPECT_EQ(t->get(Family::index, "a"), std::nullopt);
         t->append(Family::kvs, "log", "x");
         t->append(Family::kvs, "log", "y");
         EXPECT_EQ(t->get(Family::kvs, "log"), "xy");
       }},
      {"a_scan_meets_what_is_written_ahead_of_it_meanwhile",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           for (const char* key : {"a", "b", "d", "e"}) t.put(Family::index, key, "1");
         });
         const auto t = engine.begin();
         t->put(Family::jobs, "c", "elsewhere");
         const auto at = t->scan(Family::index, "a", "x");
         t->put(Family::index, "y", "behind the end");
         at->next();
         EXPECT_EQ(at->key(), "b");
         t->erase(Family::index, "b");
         t->erase(Family::index, "d");
         t->put(Family::index, "c", "2");
         at->next();
         EXPECT_EQ(std::string{at->key()} + std::string{at->value()}, "c2");
         at->next();
         EXPECT_EQ(at->key(), "e");
         t->put(Family::index, "a", "3");
         at->seek("a");
         EXPECT_EQ(std::string{at->key()} + std::string{at->value()}, "a3");
         at->seek("f");
         EXPECT_FALSE(at->valid());
       }},
      {"what_is_dropped_never_happened",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           t.put(Family::kvs, "put", "1");
           t.put(Family::kvs, "grown", "1");
           t.put(Family::kvs, "erased", "1");
           t.put(Family::kvs, "both", "1");
         });
         {
           const auto t = engine.begin();
           t->put(Family::kvs, "put", "2");
           t->put(Family::kvs, "put", "3");
           t->append(Family::kvs, "grown", "2");
           t->erase(Family::kvs, "erased");
           t->put(Family::kvs, "new", "2");
           t->erase(Family::kvs, "new");
           t->erase(Family::kvs, "both");
           t->append(Family::kvs, "both", "2");
         }
         EXPECT_EQ(contents(*engine.begin(), Family::kvs), "both=1 erased=1 grown=1 put=1 ");
         EXPECT_EQ(engine.transaction_number(), 1U);
       }},
      {"an_erased_value_is_appended_to_from_nothing",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) { t.put(Family::kvs, "k", "old"); });
         commit(engine, [](Transaction& t) {
           t.erase(Family::kvs, "k");
           t.append(Family::kvs, "k", "new");
         });
         EXPECT_EQ(engine.begin()->get(Family::kvs, "k"), "new");
       }},
      {"the_last_of_puts_and_erasures_counts",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           t.put(Family::jobs, "a", "1");
           t.erase(Family::jobs, "a");
           t.put(Family::jobs, "b", "1");
           t.erase(Family::jobs, "b");
           t.put(Family::jobs, "b", "2");
           t.erase(Family::jobs, "never there");
         });
         EXPECT_EQ(contents(*engine.begin(), Family::jobs), "b=2 ");
       }},
      {"scans_keep_to_their_range_and_seek_within_it",
       [](test::Engine& engine) {
         const std::string high = "b\xFF\xFF";
         commit(engine, [&](Transaction& t) {
           for (const std::string& key : {std::string{"a"}, std::string{"b"}, std::string{"b1"}, high,
                                          std::string{"c"}, std::string{"\xFF"}})
             t.put(Family::index, key, key);
         });
         const auto t = engine.begin();
         EXPECT_EQ(contents(*t, Family::index, "b", "c"), "b=b b1=b1 " + high + "=" + high + " ");
         EXPECT_EQ(contents(*t, Family::index, "c", "c"), "");
         EXPECT_EQ(contents(*t, Family::index, "d", ""), "\xFF=\xFF ");
         std::string found;
         for (const auto at = t->scan_prefix(Family::index, "b"); at->valid(); at->next()) found += at->key();
         EXPECT_EQ(found, "bb1" + high);
         EXPECT_EQ(t->scan_prefix(Family::index, "\xFF")->key(), "\xFF");
         const auto at = t->scan(Family::index, "a", "c");
         at->seek("b1");
         EXPECT_EQ(at->key(), "b1");
         at->seek("b");
         EXPECT_EQ(at->key(), "b");
         at->seek("bx\xFF");
         EXPECT_EQ(at->key(), high);
         at->seek("c");
         EXPECT_FALSE(at->valid());
       }},
      {"the_key_that_a_scan_stands_at_may_be_erased",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           for (const char* key : {"a", "b", "c", "d"}) t.put(Family::index, key, "");
         });
         const auto t = engine.begin();
         std::string met;
         for (const auto at = t->scan(Family::index, "", ""); at->valid(); at->next()) {
           const std::string key{at->key()};
           met += key;
           t->erase(Family::index, key);
         }
         EXPECT_EQ(met, "abcd");
         EXPECT_EQ(contents(*t, Family::index), "");
       }},
      {"last_keys_come_in_descending_order",
       [](test::Engine& engine) {
         commit(engine, [](Transaction& t) {
           for (const char* key : {"a", "b", "b1", "b2", "c", "\xFFx"}) t.put(Family::index, key, "");
         });
         const auto t = engine.begin();
         t->put(Family::index, "b3", "");
         t->erase(Family::index, "b2");
         EXPECT_EQ(joined(t->last_keys(Family::index, "b", 2)), "b3 b1 ");
         EXPECT_EQ(joined(t->last_keys(Family::index, "b", 9)), "b3 b1 b ");
         EXPECT_EQ(joined(t->last_keys(Family::index, "\xFF", 1)), "\xFFx ");
         EXPECT_EQ(joined(t->last_keys(Family::index, "x", 1)), "");
         EXPECT_EQ(joined(t->last_keys(Family::index, "b", 0)), "");
         EXPECT_EQ(joined(t->last_keys(Family::jobs, "b", 1)), "");
       }},
      {"a_transaction_goes_on_after_its_commit",
       [](test::Engine& engine) {
         const auto t = engine.begin();
         t->put(Family::kvs, "a", "1");
         t->commit();
         EXPECT_TRUE(t->empty());
         t->append(Family::kvs, "a", "2");
         t->commit();
         EXPECT_EQ(engine.transaction_number(), 2U);
         EXPECT_EQ(t->get(Family::kvs, "a"), "12");
       }},
  };
  return all;
}

class Conformance : public testing::TestWithParam<std::pair<std::string, Case>> {};

TEST_P(Conformance, holds) {
  std::unique_ptr<test::Engine> engine;
  if (GetParam().first == "rocks") {
    engine = std::make_unique<test::RocksEngine>();
  } else {
    engine = std::make_unique<test::MemoryEngine>();
  }
  GetParam().second.run(*engine);
}

std::vector<std::pair<std::string, Case>> over_each_engine() {
  std::vector<std::pair<std::string, Case>> all;
  for (const char* engine : {"rocks", "memory"}) {
    for (const Case& each : cases()) all.emplace_back(engine, each);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Engines, Conformance, testing::ValuesIn(over_each_engine()),
                         [](const auto& each) { return each.param.first + "_" + each.param.second.name; });

struct Step {
  int what = 0;  // put, erase, append, commit, drop
  int family = 0;
  std::string key, value;
};

rc::Gen<Step> any_step() {
  const auto word = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\xFF', '\0'));
  return rc::gen::build<Step>(
      rc::gen::set(&Step::what, rc::gen::weightedElement<int>({{6, 0}, {4, 1}, {4, 2}, {2, 3}, {1, 4}})),
      rc::gen::set(&Step::family, rc::gen::inRange(0, kFamilyCount)),
      rc::gen::set(&Step::key, rc::gen::scale(0.1, rc::gen::nonEmpty(word))),
      rc::gen::set(&Step::value, rc::gen::scale(0.2, word)));
}

TEST(Engines, hold_the_same_after_the_same_batches) {
  const auto holds = [] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
    test::RocksEngine rocks;
    test::MemoryEngine memory;
    std::vector<std::unique_ptr<Transaction>> both;
    both.push_back(rocks.begin());
    both.push_back(memory.begin());
    const auto compare = [&] {
      for (int i = 0; i < kFamilyCount; ++i) {
        const auto family = static_cast<Family>(i);
        RC_ASSERT(contents(*both[0], family) == contents(*both[1], family));
        RC_ASSERT(both[0]->last_keys(family, "a", 3) == both[1]->last_keys(family, "a", 3));
      }
    };
    for (const Step& step : steps) {
      for (std::size_t i = 0; i < both.size(); ++i) {
        Transaction& t = *both[i];
        const auto family = static_cast<Family>(step.family);
        if (step.what == 0) t.put(family, step.key, step.value);
        if (step.what == 1) t.erase(family, step.key);
        if (step.what == 2) t.append(family, step.key, step.value);
        if (step.what == 3) t.commit();
        if (step.what == 4) {
          both[i].reset();
          both[i] = i == 0 ? rocks.begin() : memory.begin();
        }
      }
      RC_ASSERT(both[0]->get(static_cast<Family>(step.family), step.key) ==
                both[1]->get(static_cast<Family>(step.family), step.key));
      // What was appended to is not to be met by a scan of the same transaction.
      if (step.what >= 3) compare();
    }
    RC_ASSERT(rocks.transaction_number() == memory.transaction_number());
    for (const auto& t : both) t->commit();
    compare();
  };
  EXPECT_TRUE(rc::check("rocks and memory hold the same", holds));
}

}  // namespace
}  // namespace fq::store
