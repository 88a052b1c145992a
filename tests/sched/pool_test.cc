#include "sched/pool.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "document/resource/core_locality.h"
#include "sched/random.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using document::ResourceSet;
using notation::Idset;
using test::between;
using test::inventory;
using test::parts;
using test::show;

template <class F>
std::string message_of(F f, Kind kind) {
  try {
    f();
  } catch (const Error& e) {
    return e.kind() == kind ? e.what() : fmt::format("wrong kind: {}", e.what());
  }
  return "no error";
}

TEST(Pool, counts_what_is_allocated_and_released) {
  // Totals follow each allocation and release, and after all releases the pool is as at first.
  Pool pool(inventory({{4, 2}, {4, 0}, {2, 1}}));
  const std::string fresh = show(pool);
  EXPECT_EQ(fresh, "total 3n 10c 3g, taken 0n 0c 0g, available 3n 10c 3g, allocated [], down [], drained []");
  pool.allocate(parts("0:0-1:0 1:0-3"));
  pool.allocate(parts("0:3:1"));
  EXPECT_EQ(show(pool),
            "total 3n 10c 3g, taken 2n 7c 2g, available 1n 3c 1g, "
            "allocated [rank0/core[0-1,3],gpu[0-1] rank1/core[0-3]], down [], drained []");
  pool.release(parts("0:0-1:0 1:0-3"));
  pool.release(parts("0:3:1"));
  EXPECT_EQ(show(pool), fresh);
}

TEST(Pool, refuses_what_is_not_there_and_changes_nothing) {
  // Each wrong allocation or release names the rank and leaves even the parts before it as they were.
  const std::vector<std::tuple<bool, std::string, std::string>> cases = {
      {true, "0:0 1:1", "resource pool: of cores '1' and GPUs '' of rank 1 some are already allocated"},
      {true, "0:0-1:0", "resource pool: of cores '0-1' and GPUs '0' of rank 0 some are already allocated"},
      {true, "0:0 7:0", "resource pool: rank 7 is not in the inventory"},
      {true, "1:4", "resource pool: rank 1 has cores '0-3' and GPUs '', not cores '4' and GPUs ''"},
      {true, "1:0:0", "resource pool: rank 1 has cores '0-3' and GPUs '', not cores '0' and GPUs '0'"},
      {false, "1:1-2", "resource pool: of cores '1-2' and GPUs '' of rank 1 some are not allocated"},
      {false, "1:1 7:0", "resource pool: rank 7 is not in the inventory"},
  };
  Pool pool(inventory({{4, 2}, {4, 0}}));
  pool.allocate(parts("0::0 1:1"));
  const std::string state = show(pool);
  for (const auto& [take, text, message] : cases) {
    const ResourceSet r = parts(text);
    EXPECT_EQ(message_of([&] { take ? pool.allocate(r) : pool.release(r); }, Kind::internal), message);
    EXPECT_EQ(show(pool), state) << text;
  }
}

TEST(Pool, maps_ids_that_have_gaps) {
  // Cores and GPUs are the inventory's ids, wherever they begin and whatever is missing between them.
  auto r = std::make_shared<ResourceSet>();
  r->add({3, "a", Idset::decode("2-3,8,10-11"), Idset::decode("1,5")});
  r->add({9, "b", Idset::decode("100-170"), {}});
  Pool pool(r);
  EXPECT_EQ(pool.pick(0, 3, 1).cores.encode(), "2-3,8");
  pool.allocate(parts("3:3,10:1"));
  EXPECT_EQ(pool.pick(0, 3, 1).cores.encode(), "2,8,11");
  EXPECT_EQ(pool.pick(0, 3, 1).gpus.encode(), "5");
  pool.allocate(parts("9:100-160"));
  EXPECT_EQ(pool.pick(1, 4, 0).cores.encode(), "161-164");
  EXPECT_EQ(pool.free_cores(1), 10u);
  EXPECT_EQ(message_of([&] { pool.allocate(parts("3:8-9")); }, Kind::internal),
            "resource pool: rank 3 has cores '2-3,8,10-11' and GPUs '1,5', not cores '8-9' and GPUs ''");
}

TEST(Pool, gives_cores_near_the_gpus_where_they_are_known) {
  // Two packages of four cores and two GPUs each; without GPUs, and on nodes of which nothing is known, the
  // lowest.
  auto two = test::inventory({{8, 4}, {8, 4}});
  document::CoreLocality locality;
  for (const std::uint32_t gpu : {0, 1, 2, 3})
    locality.hosts["node0"][gpu] = notation::Idset::decode(gpu < 2 ? "0-3" : "4-7");
  two->scheduling = locality.encode();
  Pool pool(two);
  const auto got = [&](std::size_t node, std::uint32_t cores, std::uint32_t gpus) {
    document::ResourceSet r;
    r.add(pool.pick(node, cores, gpus));
    pool.allocate(r);
    return r.summary();
  };
  EXPECT_EQ(got(0, 2, 0), "rank0/core[0-1]");
  // Where there is room for all of it: and where fewer are kept, once a part is taken.
  EXPECT_EQ(got(0, 3, 1), "rank0/core[4-6],gpu2");
  EXPECT_EQ(got(0, 1, 1), "rank0/core7,gpu3");
  EXPECT_EQ(got(0, 2, 2), "rank0/core[2-3],gpu[0-1]");
  EXPECT_EQ(got(1, 4, 1), "rank1/core[0-3],gpu0");
  EXPECT_EQ(got(1, 3, 1), "rank1/core[4-6],gpu1");
  // Where no package has enough, what there is of the one that has the most, and the rest elsewhere.
  Pool again(two);
  document::ResourceSet r;
  r.add(again.pick(0, 6, 3));
  EXPECT_EQ(r.summary(), "rank0/core[0-5],gpu[0-2]");
}

TEST(Pool, a_locality_that_cannot_be_read_is_as_if_it_were_not_known) {
  auto nodes = test::inventory({{4, 2}});
  nodes->scheduling = R"({"near":{"node0":{"x":"0-"}},"writer":"fq"})";
  EXPECT_EQ(Pool(nodes).pick(0, 2, 1).cores.encode(), "0-1");
}

TEST(Pool, down_and_drained_nodes_are_not_available) {
  // A node is available again when it is neither down nor drained; its allocations are not touched.
  Pool pool(inventory({{4, 0}, {4, 1}}));
  pool.allocate(parts("1:0"));
  pool.set_down(Idset::decode("1,5-4000000000"));
  pool.set_drained(Idset::decode("1"));
  EXPECT_EQ(
      show(pool),
      "total 2n 8c 1g, taken 1n 1c 0g, available 1n 4c 0g, allocated [rank1/core0], down [1], drained [1]");
  pool.set_down(Idset::decode("1"), false);
  EXPECT_FALSE(pool.usable(1));
  pool.set_drained(Idset::decode("1"), false);
  EXPECT_EQ(
      show(pool),
      "total 2n 8c 1g, taken 1n 1c 0g, available 1n 7c 1g, allocated [rank1/core0], down [], drained []");
}

TEST(Pool, versions_tell_what_changed) {
  // Allocating changes only `version`; a node that goes down or comes back changes both, once.
  Pool pool(inventory({{4, 0}}));
  const auto versions = [&] { return std::pair(pool.version(), pool.usable_version()); };
  const auto start = versions();
  pool.allocate(parts("0:0"));
  const auto allocated = versions();
  EXPECT_NE(allocated.first, start.first);
  EXPECT_EQ(allocated.second, start.second);
  pool.set_down({0});
  const auto down = versions();
  EXPECT_NE(down.first, allocated.first);
  EXPECT_NE(down.second, allocated.second);
  pool.set_down({0});
  EXPECT_EQ(versions(), down);
}

TEST(Pool, refuses_inventories_too_large_to_keep) {
  // A short idset cannot make the pool allocate without bound.
  auto r = std::make_shared<ResourceSet>();
  r->add({0, "a", Idset::decode("0-4294967295"), {}});
  EXPECT_EQ(message_of([&] { Pool pool(r); }, Kind::invalid),
            "inventory: rank 0 has 4294967296 cores, at most 65536 are possible");
}

// Chunks.

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string unhex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(PoolChunk, has_one_encoding_for_each_state) {
  // Nothing allocated is the empty text; full nodes take only their bits in the masks.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"0:0",
       "01000000000000000000000000000000"
       "01"},
      {"0:1,3:1",
       "01000000000000000000000000000000"
       "2a"},
      {"1:0-8",
       "02000000000000000000000000000000"
       "ff01"},
      {"1:0-9", "02000000000000000200000000000000"},
      {"0:0-3:0-1 1:9",
       "03000000000000000100000000000000"
       "0002"},
      {"0::0 2:69",
       "05000000000000000000000000000000"
       "10"
       "000000000000000020"},
  };
  for (const auto& [allocation, text] : cases) {
    Pool pool(inventory({{4, 2}, {10, 0}, {70, 0}}));
    pool.allocate(parts(allocation));
    EXPECT_EQ(hex(pool.encode_chunk(0)), text) << allocation;
    Pool read(inventory({{4, 2}, {10, 0}, {70, 0}}));
    read.allocate(parts("0:0 1:5"));
    read.decode_chunk(0, pool.encode_chunk(0));
    EXPECT_EQ(show(read), show(pool)) << allocation;
  }
}

TEST(PoolChunk, refuses_bytes_that_no_state_gives) {
  // Each damaged chunk is refused with its reason and changes nothing.
  const std::string masks = "01000000000000000000000000000000";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0100", "shorter than its two masks"},
      {"00000000000000000000000000000000", "an empty state must be an empty text"},
      {"01000000000000000300000000000000", "a node is full but not taken"},
      {"08000000000000000000000000000000", "more nodes than the inventory has"},
      {"04000000000000000000000000000000", "a node without cores and GPUs is taken"},
      {masks, "a bitmap is cut off"},
      {masks + "40", "bits beyond the last GPU"},
      {masks + "00", "a bitmap of a node that is free or full"},
      {masks + "3f", "a bitmap of a node that is free or full"},
      {masks + "0100", "bytes are left over"},
  };
  Pool pool(inventory({{4, 2}, {10, 0}, {0, 0}}));
  pool.allocate(parts("0:1"));
  const std::string state = show(pool);
  for (const auto& [text, reason] : cases) {
    EXPECT_EQ(message_of([&] { pool.decode_chunk(0, unhex(text)); }, Kind::invalid),
              "resource pool: chunk 0: " + reason)
        << text;
    EXPECT_EQ(show(pool), state) << text;
  }
}

TEST(PoolChunk, only_chunks_that_changed_are_dirty) {
  // Allocations mark the chunks of their nodes, 64 nodes each; decoding marks none.
  Pool pool(inventory(std::vector<test::Shape>(130, {2, 0})));
  EXPECT_EQ(pool.chunk_count(), 3u);
  EXPECT_TRUE(pool.dirty_chunks().empty());
  pool.allocate(parts("63:0 129:1"));
  EXPECT_EQ(pool.dirty_chunks(), (std::vector<std::size_t>{0, 2}));
  pool.clear_dirty_chunks();
  pool.release(parts("129:1"));
  EXPECT_EQ(pool.dirty_chunks(), (std::vector<std::size_t>{2}));
  pool.decode_chunk(2, "");
  EXPECT_TRUE(pool.dirty_chunks().empty());
}

// Laws.

/// A random part of `of`: some of its nodes, some of their cores and GPUs.
ResourceSet arbitrary_part(const ResourceSet& of) {
  ResourceSet part;
  for (const ResourceSet::Node& node : of.nodes()) {
    if (between(0, 2) == 0) continue;
    ResourceSet::Node some{node.rank, node.host, {}, {}};
    node.cores.for_each([&](std::uint32_t id) {
      if (between(0, 2) == 0) some.cores.insert(id);
    });
    node.gpus.for_each([&](std::uint32_t id) {
      if (between(0, 2) == 0) some.gpus.insert(id);
    });
    if (!some.cores.empty() || !some.gpus.empty()) part.add(some);
  }
  return part;
}

std::shared_ptr<ResourceSet> arbitrary_inventory() {
  auto r = std::make_shared<ResourceSet>();
  const auto n = between(1, 9);
  std::uint32_t rank = 0;
  for (int i = 0; i < n; ++i) {
    rank += between(1, 4);
    Idset cores, gpus;
    for (const auto id : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 150u)))
      cores.insert(id);
    for (const auto id : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 9u)))
      gpus.insert(id);
    r->add({rank, "node" + std::to_string(rank), cores, gpus});
  }
  return r;
}

TEST(PoolLaws, allocation_is_set_union_and_release_its_inverse) {
  // What the pool says is allocated is the union of what was allocated; overlapping sets are refused.
  EXPECT_TRUE(rc::check([] {
    const auto all = arbitrary_inventory();
    Pool pool(all);
    const std::string fresh = show(pool);
    ResourceSet held;
    std::vector<ResourceSet> jobs;
    for (int i = 0; i < 6; ++i) {
      const ResourceSet part = arbitrary_part(*all);
      if (part.overlaps(held)) {
        RC_ASSERT_THROWS_AS(pool.allocate(part), Error);
      } else {
        pool.allocate(part);
        held = held.unite(part);
        jobs.push_back(part);
      }
      RC_ASSERT(pool.allocated() == held);
      RC_ASSERT(pool.taken() == (Pool::Totals{held.nnodes(), held.ncores(), held.ngpus()}));
    }
    for (const ResourceSet& job : jobs) pool.release(job);
    RC_ASSERT(show(pool) == fresh);
  }));
}

TEST(PoolLaws, decode_undoes_encode) {
  // Chunks carry the whole state of allocation.
  EXPECT_TRUE(rc::check([] {
    const auto all = arbitrary_inventory();
    Pool pool(all), read(all);
    pool.allocate(arbitrary_part(*all));
    read.allocate(arbitrary_part(*all));
    for (std::size_t i = 0; i < pool.chunk_count(); ++i) read.decode_chunk(i, pool.encode_chunk(i));
    RC_ASSERT(show(read) == show(pool));
    for (std::size_t i = 0; i < pool.chunk_count(); ++i)
      RC_ASSERT(read.encode_chunk(i) == pool.encode_chunk(i));
  }));
}

TEST(PoolLaws, damaged_chunks_never_crash) {
  // Any bytes are either refused, or are the one encoding of a state.
  EXPECT_TRUE(rc::check([] {
    const auto all = arbitrary_inventory();
    Pool pool(all);
    pool.allocate(arbitrary_part(*all));
    std::string bytes = pool.encode_chunk(0);
    const auto edits = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
        rc::gen::pair(rc::gen::inRange<std::size_t>(0, 40), rc::gen::arbitrary<char>()));
    for (const auto& [at, value] : edits) {
      if (at < bytes.size()) bytes[at] = value;
      if (at == bytes.size()) bytes.push_back(value);
    }
    try {
      pool.decode_chunk(0, bytes);
    } catch (const Error& e) {
      RC_ASSERT(e.kind() == Kind::invalid);
      return;
    }
    RC_ASSERT(pool.encode_chunk(0) == bytes);
  }));
}

}  // namespace
}  // namespace fq::sched
