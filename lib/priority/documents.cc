#include "priority/documents.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::priority {

namespace {

Factors read_factors(const JsonAt& at) {
  Factors factors;
  for (const auto& [name, value] : at.object().value().items()) {
    const FactorName* factor = nullptr;
    try {
      factor = &factor_named(name);
    } catch (const Error& failure) {
      throw failure.within(at.path());
    }
    const JsonAt member = at.at(name);
    const double number = member.as_number();
    if (!(number >= 0 && number <= 1))
      throw member.fail(fmt::format("expected a factor from 0 to 1, got {}", number));
    factors.*factor->member = number;
  }
  return factors;
}

WeighedFactors read_one(const JsonAt& at) {
  at.object().allow_only({"factors", "weights"});
  WeighedFactors one;
  one.factors = read_factors(at.at("factors"));
  const auto weights = at.find("weights");
  one.weights = weights ? read_weights(*weights, Parameters{}.weights) : Parameters{}.weights;
  return one;
}

double amount(const JsonAt& at, const char* key, double otherwise) {
  const auto value = at.find(key);
  if (!value) return otherwise;
  const double number = value->as_number();
  if (number < 0) throw value->fail(fmt::format("expected no negative number, got {}", number));
  if (!std::isfinite(number)) throw value->fail("expected a finite number");
  return number;
}

ShareNode read_node(const JsonAt& at) {
  at.object();
  ShareNode node;
  const auto bank = at.find("bank"), user = at.find("user"), children = at.find("children");
  if (user && bank) throw at.fail("expected a bank or a user, not both");
  if (user && children) throw at.fail("a user has no children");
  if (!user && !bank) throw at.fail("expected an object with the key 'bank' or 'user'");
  node.is_user = user.has_value();
  node.name = (user ? *user : *bank).as_string();
  if (node.name.empty()) throw(user ? *user : *bank).fail("expected a name");
  node.shares = amount(at, "shares", 1);
  double sum = 0;
  std::set<std::pair<bool, std::string>> names;
  if (children) {
    children->array();
    for (std::size_t i = 0; i < children->size(); ++i) {
      node.children.push_back(read_node(children->at(i)));
      const ShareNode& child = node.children.back();
      if (!names.emplace(child.is_user, child.name).second)
        throw children->at(i).fail(
            fmt::format("{} {} stands there twice", child.is_user ? "user" : "bank", quote(child.name)));
      sum += node.children.back().usage;
    }
  }
  // What is given of a bank is its children's, told once more, or rounded.
  node.usage = amount(at, "usage", sum);
  if (!node.is_user && node.usage < sum * (1 - 1e-6))
    throw at.at("usage").fail(
        fmt::format("expected at least the {} of its children, got {}", sum, node.usage));
  return node;
}

void add(nlohmann::ordered_json& object, const ShareNode& node, bool ranked) {
  const auto children = object.find("children");
  if (children == object.end()) return;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const ShareNode& child = node.children[i];
    if (child.is_user || !ranked) (*children)[i]["fairshare"] = child.fair_share;
    if (child.rank) (*children)[i]["rank"] = *child.rank;
    add((*children)[i], child, ranked);
  }
}

bool any_rank(const ShareNode& node) {
  if (node.rank) return true;
  for (const ShareNode& child : node.children) {
    if (any_rank(child)) return true;
  }
  return false;
}

}  // namespace

std::vector<WeighedFactors> read_weighed_factors(const nlohmann::json& document) {
  const JsonAt at{document, {}};
  if (!document.is_array()) return {read_one(at)};
  std::vector<WeighedFactors> all;
  for (std::size_t i = 0; i < at.size(); ++i) all.push_back(read_one(at.at(i)));
  return all;
}

nlohmann::json to_json(const Factors& factors) {
  nlohmann::json document = nlohmann::json::object();
  for (const FactorName& each : kFactorNames) {
    std::string key{each.name};
    std::replace(key.begin(), key.end(), '-', '_');
    document[key] = factors.*each.member;
  }
  return document;
}

ShareNode read_share_tree(const nlohmann::json& document) {
  ShareNode root = read_node(JsonAt{document, {}});
  if (root.is_user) throw Error{Kind::invalid, "the root is a user: expected a bank"};
  if (root.children.empty()) throw Error{Kind::invalid, "the root has no children: expected banks or users"};
  return root;
}

void add_fair_share(nlohmann::ordered_json& document, const ShareNode& tree) {
  add(document, tree, any_rank(tree));
}

}  // namespace fq::priority
