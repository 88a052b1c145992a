// What can never run, and what is said of it.

#include <gtest/gtest.h>

#include "sched/matcher.h"
#include "sched/request_text.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using document::ResourceSet;
using notation::Idset;
using test::inventory;
using test::nodes;
using test::Shape;
using test::slots;
using test::with_constraint;

struct FeasibleCase {
  std::vector<Shape> shapes;
  AllocRequest request;
  std::string note;  ///< without its beginning; empty: feasible
};

TEST(MatcherFeasible, a_note_says_what_is_asked_and_what_there_is) {
  // What can never run is told apart by what is missing, and is not confused with what is only taken or down.
  const std::string ranks = R"({"ranks":["0-1"]})";
  const std::string none = R"({"properties":["nope"]})";
  const std::vector<FeasibleCase> cases = {
      {{{4, 0}, {4, 0}, {4, 0}}, nodes(3), ""},
      {{{4, 0}, {4, 0}, {4, 0}}, nodes(5), "5 nodes requested, the inventory has 3"},
      {{{4, 0}, {4, 0}, {4, 0}}, with_constraint(nodes(5), ranks), "5 nodes requested, 2 match"},
      {{{4, 0}}, with_constraint(nodes(2), ranks), "2 nodes requested, 1 matches"},
      {{{4, 0}}, nodes(2, 1, 1, 0, true), "2 exclusive nodes requested, the inventory has 1"},
      {{{4, 0}, {4, 0}}, nodes(1, 2, 4), "1 node with 8 cores requested, the largest node has 4 cores"},
      {{{4, 0}, {4, 0}},
       with_constraint(nodes(2, 2, 4), ranks),
       "2 nodes with 8 cores each requested, the largest node that matches has 4 cores"},
      {{{4, 0}, {8, 0}}, nodes(2, 2, 4), "2 nodes with 8 cores each requested, the inventory has 1"},
      {{{4, 0}}, nodes(1, 1, 1, 1), "1 node with 1 core and 1 GPU requested, no node has GPUs"},
      {{{4, 1}}, nodes(1, 1, 1, 2), "1 node with 1 core and 2 GPUs requested, no node has more than 1 GPU"},
      {{{4, 0}, {4, 0}}, slots(8), ""},
      {{{4, 0}, {4, 0}}, slots(9), "9 cores requested, the inventory has 8"},
      {{{4, 0}, {4, 0}, {4, 0}}, with_constraint(slots(9), ranks), "9 cores requested, 8 match"},
      {{{4, 0}, {4, 0}}, slots(3, 3), "3 slots of 3 cores requested, the inventory has 2"},
      {{{4, 0}, {6, 0}}, slots(1, 8), "8 cores on one node requested, the largest node has 6 cores"},
      {{{4, 0}}, slots(1, 1, 1), "1 GPU on one node requested, no node has GPUs"},
      {{{4, 2}}, slots(1, 1, 3), "3 GPUs on one node requested, no node has more than 2 GPUs"},
      {{{4, 0}, {1, 2}}, slots(1, 4, 1), "4 cores and 1 GPU on one node requested, no node has both"},
      {{{4, 2}, {4, 2}}, slots(5, 1, 1), "5 slots of 1 core and 1 GPU requested, the inventory has 4"},
      {{{4, 0}}, with_constraint(slots(1), none), "no node matches the constraint 'nope'"},
      {{{4, 0}}, with_constraint(slots(1), "{}"), ""},
      {{}, slots(1), "1 core requested, the inventory has no nodes"},
  };
  for (const FeasibleCase& c : cases) {
    Pool pool(inventory(c.shapes));
    pool.set_down(Idset::from_range(0, 100));
    for (const ResourceSet::Node& node : pool.inventory().nodes()) {
      ResourceSet whole;
      whole.add(node);
      pool.allocate(whole);
    }
    Matcher matcher(pool);
    const auto note = matcher.check_feasible(c.request);
    EXPECT_EQ(note.value_or(""), c.note.empty() ? "" : "unsatisfiable request: " + c.note);
  }
}

TEST(MatcherFeasible, notes_stay_short) {
  // A long constraint is cut between characters.
  std::string constraint = R"({"properties":["a)";
  while (constraint.size() < 1000) constraint += "é";
  constraint += "\"]}";
  const std::string note = no_match_text(constraint);
  EXPECT_EQ(note.substr(0, 60), "unsatisfiable request: no node matches the constraint 'aéé");
  EXPECT_TRUE(note.ends_with("é...'"));
  EXPECT_LT(note.size(), 270u);
}

TEST(MatcherFeasible, an_invalid_constraint_is_a_note) {
  // Feasibility is answered for any text; the note passes on what is wrong with the constraint.
  Pool pool(inventory({{4, 0}}));
  Matcher matcher(pool);
  const auto note = matcher.check_feasible(with_constraint(slots(1), R"({"propertys":["x"]})"));
  ASSERT_TRUE(note);
  EXPECT_TRUE(note->starts_with("unsatisfiable request: ")) << *note;
  EXPECT_NE(note->find("propertys"), std::string::npos) << *note;
}

}  // namespace
}  // namespace fq::sched
