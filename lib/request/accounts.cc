#include "request/accounts.h"

#include <functional>

#include "base/text.h"

namespace fq::request {
namespace {

std::vector<const AccountNode*> nodes(const AccountTree& tree,
                                      const std::function<bool(const AccountNode&)>& wanted) {
  std::vector<const AccountNode*> found;
  const std::function<void(const AccountNode&)> visit = [&](const AccountNode& node) {
    if (wanted(node)) found.push_back(&node);
    for (const AccountNode& child : node.children) visit(child);
  };
  if (tree.exists) visit(tree.root);
  return found;
}

std::vector<std::string> names_of(const std::vector<const AccountNode*>& all) {
  std::vector<std::string> names;
  for (const AccountNode* each : all) names.push_back(each->name);
  return names;
}

}  // namespace

std::vector<const AccountNode*> bank_nodes(const AccountTree& tree, bool closed) {
  return nodes(tree, [&](const AccountNode& node) { return !node.is_user && (closed || !node.closed); });
}

std::vector<const AccountNode*> user_nodes(const AccountTree& tree, bool closed) {
  return nodes(tree, [&](const AccountNode& node) { return node.is_user && (closed || !node.closed); });
}

const AccountNode& require_bank_node(const AccountTree& tree, std::string_view name) {
  const auto all = bank_nodes(tree, true);
  for (const AccountNode* each : all) {
    if (each->name == name) return *each;
  }
  throw Error{Kind::not_found, fmt::format("bank {} does not exist", quote(name)),
              tree.exists ? did_you_mean(name, names_of(all)) : "there are no accounts: fq account add-bank"};
}

std::vector<const AccountNode*> require_user_nodes(const AccountTree& tree, std::string_view user) {
  const auto all = user_nodes(tree, true);
  std::vector<const AccountNode*> found;
  for (const AccountNode* each : all) {
    if (each->name == user) found.push_back(each);
  }
  if (!found.empty()) return found;
  throw Error{Kind::not_found, fmt::format("user {} is in no bank", quote(user)),
              tree.exists ? did_you_mean(user, names_of(all)) : "there are no accounts: fq account add-bank"};
}

}  // namespace fq::request
