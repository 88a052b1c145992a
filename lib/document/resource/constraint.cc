// A constraint is reduced as it is read: `and` and `or` are flattened, sorted and freed of repetition,
// property lists, host lists and rank sets that stand together become one. What is left is compared and
// printed as it is.

#include "document/resource/constraint.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/resource_set.h"

namespace fq::document {

using nlohmann::json;
using notation::Hostlist;
using notation::Idset;

/// A node of the tree. Invariants: children of `and` and `or` number two or more, are sorted and unlike, and
/// none is all, none or of the same kind; no `not` stands on all, none, `not` or a single property.
struct Constraint::Term {
  enum class Op { all, none, properties, hostlist, ranks, not_, and_, or_ };

  Op op = Op::all;
  std::set<std::string> properties;  ///< all of them required; `^name` is one that must be missing
  Hostlist hosts;                    ///< sorted, without duplicates
  std::string hosts_text;
  Idset ranks;
  std::vector<std::shared_ptr<const Term>> children;
};

namespace {

using Term = Constraint::Term;
using Op = Term::Op;
using TermPtr = std::shared_ptr<const Term>;

TermPtr constant(Op op) {
  static const TermPtr all = std::make_shared<Term>();
  static const TermPtr none = [] {
    auto term = std::make_shared<Term>();
    term->op = Op::none;
    return term;
  }();
  return op == Op::all ? all : none;
}

std::strong_ordering compare(const Idset& a, const Idset& b) {
  return std::lexicographical_compare_three_way(a.ranges().begin(), a.ranges().end(), b.ranges().begin(),
                                                b.ranges().end(),
                                                [](const Idset::Range& x, const Idset::Range& y) {
                                                  const auto firsts = x.first <=> y.first;
                                                  return firsts != 0 ? firsts : x.last <=> y.last;
                                                });
}

std::strong_ordering compare(const Term& a, const Term& b) {
  if (const auto order = a.op <=> b.op; order != 0) return order;
  if (const auto order = a.properties <=> b.properties; order != 0) return order;
  if (const auto order = a.hosts_text <=> b.hosts_text; order != 0) return order;
  if (const auto order = compare(a.ranks, b.ranks); order != 0) return order;
  return std::lexicographical_compare_three_way(
      a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
      [](const TermPtr& x, const TermPtr& y) { return compare(*x, *y); });
}

TermPtr make_properties(std::set<std::string> properties) {
  if (properties.empty()) return constant(Op::all);
  for (const std::string& property : properties) {
    if (property.front() == '^' && properties.count(property.substr(1)) > 0) return constant(Op::none);
  }
  auto term = std::make_shared<Term>();
  term->op = Op::properties;
  term->properties = std::move(properties);
  return term;
}

TermPtr make_hostlist(Hostlist hosts) {
  if (hosts.empty()) return constant(Op::none);
  hosts.uniq();
  auto term = std::make_shared<Term>();
  term->op = Op::hostlist;
  term->hosts_text = hosts.encode();
  term->hosts = std::move(hosts);
  return term;
}

TermPtr make_ranks(Idset ranks) {
  if (ranks.empty()) return constant(Op::none);
  auto term = std::make_shared<Term>();
  term->op = Op::ranks;
  term->ranks = std::move(ranks);
  return term;
}

/// `children` and the children of those that are themselves `op`, in one list.
std::vector<TermPtr> flatten(const std::vector<TermPtr>& children, Op op) {
  std::vector<TermPtr> flat;
  for (const TermPtr& child : children) {
    if (child->op == op) {
      flat.insert(flat.end(), child->children.begin(), child->children.end());
    } else {
      flat.push_back(child);
    }
  }
  return flat;
}

/// The term `op` over `children`, none of which is all or none; `empty` stands for no children.
TermPtr make_group(Op op, std::vector<TermPtr> children, Op empty) {
  std::sort(children.begin(), children.end(),
            [](const TermPtr& a, const TermPtr& b) { return compare(*a, *b) < 0; });
  children.erase(std::unique(children.begin(), children.end(),
                             [](const TermPtr& a, const TermPtr& b) { return compare(*a, *b) == 0; }),
                 children.end());
  if (children.empty()) return constant(empty);
  if (children.size() == 1) return children.front();
  auto term = std::make_shared<Term>();
  term->op = op;
  term->children = std::move(children);
  return term;
}

TermPtr make_and(const std::vector<TermPtr>& children) {
  std::vector<TermPtr> rest;
  std::set<std::string> properties;
  std::optional<Idset> ranks;
  for (const TermPtr& child : flatten(children, Op::and_)) {
    switch (child->op) {
      case Op::all:
        break;
      case Op::none:
        return child;
      case Op::properties:
        properties.insert(child->properties.begin(), child->properties.end());
        break;
      case Op::ranks:
        ranks = ranks ? ranks->intersect(child->ranks) : child->ranks;
        break;
      default:
        rest.push_back(child);
    }
  }
  if (ranks) rest.push_back(make_ranks(*std::move(ranks)));
  rest.push_back(make_properties(std::move(properties)));
  for (const TermPtr& child : rest) {
    if (child->op == Op::none) return child;
  }
  std::erase_if(rest, [](const TermPtr& child) { return child->op == Op::all; });
  return make_group(Op::and_, std::move(rest), Op::all);
}

TermPtr make_or(const std::vector<TermPtr>& children) {
  if (children.empty()) return constant(Op::all);
  std::vector<TermPtr> rest;
  std::vector<TermPtr> hostlists;
  Idset ranks;
  for (const TermPtr& child : flatten(children, Op::or_)) {
    switch (child->op) {
      case Op::all:
        return child;
      case Op::none:
        break;
      case Op::hostlist:
        hostlists.push_back(child);
        break;
      case Op::ranks:
        ranks = ranks.unite(child->ranks);
        break;
      default:
        rest.push_back(child);
    }
  }
  if (hostlists.size() > 1) {
    Hostlist hosts;
    for (const TermPtr& each : hostlists) hosts.append(each->hosts);
    rest.push_back(make_hostlist(std::move(hosts)));
  } else {  // as it is: it may be long, and stand below many an `or`
    rest.insert(rest.end(), hostlists.begin(), hostlists.end());
  }
  if (!ranks.empty()) rest.push_back(make_ranks(std::move(ranks)));
  return make_group(Op::or_, std::move(rest), Op::none);
}

TermPtr make_not(const TermPtr& child) {
  switch (child->op) {
    case Op::all:
      return constant(Op::none);
    case Op::none:
      return constant(Op::all);
    case Op::not_:
      return child->children.front();
    case Op::properties:
      if (child->properties.size() == 1) {
        const std::string& only = *child->properties.begin();
        return make_properties({only.front() == '^' ? only.substr(1) : '^' + only});
      }
      break;
    default:
      break;
  }
  auto term = std::make_shared<Term>();
  term->op = Op::not_;
  term->children = {child};
  return term;
}

// ---- JSON

TermPtr read(const JsonAt& at, int depth);

std::vector<TermPtr> read_children(const JsonAt& values, int depth) {
  std::vector<TermPtr> children;
  for (std::size_t i = 0; i < values.size(); ++i) children.push_back(read(values.at(i), depth + 1));
  return children;
}

/// Calls f(text) for each value, which must be a string; errors of f get the path of the value.
template <class F>
void read_strings(const JsonAt& values, F f) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const JsonAt value = values.at(i);
    const std::string& text = value.as_string();
    try {
      f(text);
    } catch (const Error& failure) {
      throw failure.within(value.path());
    }
  }
}

void check_operator(const JsonAt& at, const std::string& op) {
  static const std::vector<std::string> known{"properties", "hostlist", "ranks", "and", "or", "not"};
  if (std::find(known.begin(), known.end(), op) != known.end()) return;
  throw Error{Kind::invalid, at.fail(fmt::format("unknown operator {}", quote(op))).what(),
              did_you_mean(op, known)};
}

TermPtr read(const JsonAt& at, int depth) {
  if (depth > Constraint::kMaxDepth) {
    throw at.fail(fmt::format("constraints nest at most {} deep", Constraint::kMaxDepth));
  }
  const json& object = at.object().value();
  if (object.empty()) return constant(Op::all);
  for (const auto& member : object.items()) check_operator(at, member.key());
  if (object.size() > 1) {
    throw Error{Kind::invalid, at.fail(fmt::format("expected one operator, got {}", object.size())).what(),
                "join several with 'and'"};
  }
  const std::string& op = object.begin().key();
  const JsonAt values = at.at(op);
  values.array();
  if (op == "and") return make_and(read_children(values, depth));
  if (op == "or") return make_or(read_children(values, depth));
  if (op == "not") return make_not(make_and(read_children(values, depth)));
  if (op == "properties") {
    std::set<std::string> properties;
    read_strings(values, [&](const std::string& text) {
      check_constraint_property(text);
      properties.insert(text);
    });
    return make_properties(std::move(properties));
  }
  if (op == "hostlist") {
    Hostlist hosts;
    read_strings(values, [&](const std::string& text) { hosts.append(text); });
    if (hosts.count() > Constraint::kMaxHosts) {
      throw values.fail(
          fmt::format("expected at most {} hosts, got {}", Constraint::kMaxHosts, hosts.count()));
    }
    return make_hostlist(std::move(hosts));
  }
  Idset ranks;
  read_strings(values, [&](const std::string& text) { ranks = ranks.unite(Idset::decode(text)); });
  return make_ranks(std::move(ranks));
}

json write(const Term& term) {
  const auto children = [&] {
    json values = json::array();
    for (const TermPtr& child : term.children) values.push_back(write(*child));
    return values;
  };
  switch (term.op) {
    case Op::all:
      return json::object();
    case Op::none:
      return {{"not", json::array()}};
    case Op::properties:
      return {{"properties", term.properties}};
    case Op::hostlist:
      return {{"hostlist", {term.hosts_text}}};
    case Op::ranks:
      return {{"ranks", {term.ranks.encode()}}};
    case Op::not_:
      return {{"not", children()}};
    case Op::and_:
      return {{"and", children()}};
    case Op::or_:
      return {{"or", children()}};
  }
  throw error(Kind::internal, "constraint of an unknown kind");
}

Idset match_term(const Term& term, const ResourceSet& inventory) {
  switch (term.op) {
    case Op::all:
      return inventory.ranks();
    case Op::none:
      return {};
    case Op::properties: {
      Idset ranks = inventory.ranks();
      for (const std::string& property : term.properties) {
        ranks = property.front() == '^' ? ranks.subtract(inventory.ranks_with(property.substr(1)))
                                        : ranks.intersect(inventory.ranks_with(property));
      }
      return ranks;
    }
    case Op::hostlist:
      return inventory.ranks_on(term.hosts);
    case Op::ranks:
      return inventory.ranks().intersect(term.ranks);
    case Op::not_:
      return inventory.ranks().subtract(match_term(*term.children.front(), inventory));
    case Op::and_: {
      Idset ranks = match_term(*term.children.front(), inventory);
      for (std::size_t i = 1; i < term.children.size() && !ranks.empty(); ++i) {
        ranks = ranks.intersect(match_term(*term.children[i], inventory));
      }
      return ranks;
    }
    case Op::or_: {
      Idset ranks;
      for (const TermPtr& child : term.children) ranks = ranks.unite(match_term(*child, inventory));
      return ranks;
    }
  }
  throw error(Kind::internal, "constraint of an unknown kind");
}

}  // namespace

void check_constraint_property(std::string_view text) {
  const std::string_view name = text.substr(text.starts_with('^') ? 1 : 0);
  if (name.empty()) throw error(Kind::invalid, "{}: a property needs a name", quote(text));
  check_property_name(name);
}

Constraint::Constraint() : root_(constant(Op::all)) {}
Constraint::Constraint(std::shared_ptr<const Term> root) : root_(std::move(root)) {}

Constraint Constraint::parse(const JsonAt& at) {
  return Constraint{read(at, 1)};
}

Constraint Constraint::from_json_text(std::string_view text) {
  const json value = parse_json(text, "constraint");
  return parse(JsonAt{value, "constraint"});
}

void require_job_constraint_size(const JsonAt& constraint) {
  const std::size_t size = dump_json(constraint.value()).size();
  if (size > kMaxJobConstraint)
    throw error(Kind::invalid, "{}: a constraint of {} bytes is too large for a job: at most {}",
                constraint.path(), size, kMaxJobConstraint);
}

Idset Constraint::match(const ResourceSet& inventory) const {
  return match_term(*root_, inventory);
}

std::string Constraint::canonical() const {
  return dump_json(write(*root_));
}

bool Constraint::matches_all() const {
  return root_->op == Op::all;
}

}  // namespace fq::document
