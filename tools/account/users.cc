// fq-account add-user, edit-user, delete-user, view-user, list-users.

#include <algorithm>
#include <functional>
#include <set>

#include "account/commands.h"
#include "account/options.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "frame/store_session.h"
#include "request/accounts.h"
#include "request/configuration.h"

namespace fq::tools::account {

namespace {

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string_view name : split(list, ',')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

// flux-accounting has `*` for all.
std::vector<std::string> all_or(std::vector<std::string> names) {
  if (std::find(names.begin(), names.end(), "*") != names.end()) names.clear();
  return names;
}

std::uint32_t parse_userid(const std::string& text) {
  const auto number = parse_u64(text);
  if (number && *number <= UINT32_MAX) return static_cast<std::uint32_t>(*number);
  throw error(Kind::invalid, "expected the number of a user, got {}", quote(text));
}

void add_user_options(cli::OptionParser& parser, request::UserEdit& edit) {
  parser.option("--username", "USER", edit.user, "the same as USER");
  parser.option("--bank", "BANK", edit.bank, "the same as BANK");
  parser.option(
      "--userid", "UID", [&](const std::string& text) { edit.userid = parse_userid(text); },
      "number of the user, where not the system's");
  parser.option(
      "--shares", "N", [&](const std::string& text) { edit.shares = parse_shares(text); },
      "of what the bank has, beside the others in it");
  parser.option(
      "--fairshare", "N", [&](const std::string& text) { edit.shares = parse_shares(text); }, "");
  parser.flag("--default", edit.make_default, "this is the bank of jobs that name none");
  parser.option("--default-bank", "BANK", edit.default_bank, "or that one");
  parser.option(
      "--queues", "QUEUE,...", [&](const std::string& text) { edit.queues = names_of(text); },
      "may use these only; '' for all");
  parser.option(
      "--qos", "QOS,...", [&](const std::string& text) { edit.qos = names_of(text); }, "may use these, too");
  parser.option(
      "--projects", "PROJECT,...", [&](const std::string& text) { edit.projects = all_or(names_of(text)); },
      "may name these only; '' for all");
  parser.option("--default-project", "PROJECT", edit.default_project, "of jobs that name none");
  add_limit_options(parser, edit.limits);
}

// The operands USER [BANK], which options may stand for.
void take_operands(const std::vector<std::string>& operands, request::UserEdit& edit) {
  if (!operands.empty()) {
    if (!edit.user.empty()) throw Error{Kind::combination, "give USER or --username, not both"};
    edit.user = operands[0];
  }
  if (operands.size() > 1) {
    if (!edit.bank.empty()) throw Error{Kind::combination, "give BANK or --bank, not both"};
    edit.bank = operands[1];
  }
  if (edit.user.empty()) throw Error{Kind::usage, "which user? give USER"};
}

}  // namespace

int add_user(int argc, char** argv) {
  cli::CommonOptions common;
  request::UserEdit edit;
  cli::OptionParser parser("fq-account add-user", "add a user to a bank", {"[USER [BANK]]", 0, 2});
  parser.example("fq account add-user ada physics --shares=2");
  parser.group("Options");
  add_user_options(parser, edit);
  cli::add_common_options(parser, common);
  take_operands(parser.parse(argc, argv), edit);
  if (edit.bank.empty()) throw Error{Kind::usage, "to which bank? give BANK"};
  const tools::StoreSession store("fq-account", common);
  const auto added = store.get().ask(request::EditAccountsRequest{request::AddUser{edit}});
  say_notes(added.unknown);
  if (!added.known)
    cli::say("fq-account", fmt::format("no user {} is known here: added by name, until one submits a job",
                                       quote(edit.user)));
  return 0;
}

int edit_user(int argc, char** argv) {
  cli::CommonOptions common;
  request::UserEdit edit;
  cli::OptionParser parser("fq-account edit-user",
                           "change a user, in one bank or in all: what is not given stays",
                           {"[USER [BANK]]", 0, 2});
  parser.example("fq account edit-user ada physics --max-running-jobs=8");
  parser.group("Options");
  add_user_options(parser, edit);
  parser.option(
      "--usage", "N", [&](const std::string& text) { edit.core_seconds = parse_shares(text); },
      "core-seconds used elsewhere, decayed until now");
  cli::add_common_options(parser, common);
  take_operands(parser.parse(argc, argv), edit);
  if (!edit.userid && !edit.shares && !edit.queues && !edit.qos && !edit.projects && !edit.default_project &&
      !edit.make_default && !edit.default_bank && !edit.core_seconds && edit.limits.empty())
    throw Error{Kind::usage, "what is to be changed? give at least one option"};
  if (edit.make_default && edit.bank.empty()) throw Error{Kind::usage, "--default: which bank? give BANK"};
  const tools::StoreSession store("fq-account", common);
  say_notes(store.get().ask(request::EditAccountsRequest{request::EditUser{edit}}).unknown);
  return 0;
}

int delete_user(int argc, char** argv) {
  cli::CommonOptions common;
  request::UserEdit edit;
  bool force = false;
  cli::OptionParser parser("fq-account delete-user",
                           "delete a user from one bank, or from all; what was used stays on record",
                           {"USER [BANK]", 1, 2});
  parser.example("fq account delete-user ada physics");
  parser.group("Options");
  parser.flag("--force", force, "where jobs are active: they end as they do");
  cli::add_common_options(parser, common);
  take_operands(parser.parse(argc, argv), edit);
  const tools::StoreSession store("fq-account", common);
  const auto in_use = force ? request::InUse::close : request::InUse::refuse;
  store.get().ask(request::EditAccountsRequest{request::DeleteUser{edit.user, edit.bank, in_use}});
  return 0;
}

int view_user(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-account view-user", "show a user in all banks that the user is in",
                           {"USER", 1, 1});
  parser.example("fq account view-user ada");
  parser.group("Options");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  const std::string user = parser.parse(argc, argv).front();
  if (const auto told = cli::account_formats_told(cli::AccountRows::users, listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_account_listing(cli::AccountRows::users, listing);
  show_accounts(common, [&](const request::AccountTree& tree) {
    return cli::list_accounts(request::require_user_nodes(tree, user), cli::AccountRows::users, listing);
  });
  return 0;
}

namespace {

// What users are chosen by.
struct Choice {
  enum class Named { nothing, bank, queue, qos, project };
  std::function<bool(const request::AccountNode&)> is;
  Named named = Named::nothing;
  std::string name{};
};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Users who are as the options say; of several options all.
void add_choices(cli::OptionParser& parser, std::vector<Choice>& choices) {
  const auto choice = [&](std::string_view name, Choice::Named named, std::string_view placeholder,
                          std::string_view help,
                          const std::function<bool(const request::AccountNode&, const std::string&)>& is) {
    parser.option(
        name, placeholder,
        [&choices, is, named](const std::string& wanted) {
          choices.push_back(
              {[is, wanted](const request::AccountNode& node) { return is(node, wanted); }, named, wanted});
        },
        help);
  };
  using Named = Choice::Named;
  choice("-B,--bank", Named::bank, "BANK", "in this bank",
         [](const auto& node, const std::string& wanted) { return node.parent == wanted; });
  choice(
      "--default-bank", Named::bank, "BANK", "whose default this bank is",
      [](const auto& node, const std::string& wanted) { return node.is_default && node.parent == wanted; });
  choice("--queues", Named::queue, "QUEUE", "who may use the queue",
         [](const auto& node, const std::string& wanted) {
           return node.queues.empty() || has(node.queues, wanted);
         });
  choice("--qos", Named::qos, "QOS", "who have been granted it",
         [](const auto& node, const std::string& wanted) { return has(node.qos, wanted); });
  choice("--projects", Named::project, "PROJECT", "who may name the project",
         [](const auto& node, const std::string& wanted) {
           return node.projects.empty() || has(node.projects, wanted);
         });
  choice("--default-project", Named::project, "PROJECT", "whose default it is",
         [](const auto& node, const std::string& wanted) { return node.default_project == wanted; });
  const auto bound = [&](std::string_view name, std::string_view help, bool least, bool of_shares) {
    parser.option(
        name, "N",
        [&choices, least, of_shares](const std::string& text) {
          const double wanted = parse_shares(text);
          choices.push_back({[=](const request::AccountNode& node) {
            const std::optional<double> value = of_shares ? node.shares : node.fair_share;
            return value && (least ? *value >= wanted : *value == wanted);
          }});
        },
        help);
  };
  bound("--shares", "with so many shares", false, true);
  bound("--fairshare", "whose fair-share is this or more", true, false);
}

// Names of a kind that there are, and those that users were given while there were none of that name.
std::vector<std::string> known_names(Choice::Named named, const door::Door& door,
                                     const request::AccountTree& tree) {
  std::set<std::string> names;
  for (const request::AccountNode* user : request::user_nodes(tree, true)) {
    const std::vector<std::string>& own = named == Choice::Named::queue ? user->queues
                                          : named == Choice::Named::qos ? user->qos
                                                                        : user->projects;
    names.insert(own.begin(), own.end());
    if (named == Choice::Named::project) names.insert(user->default_project);
  }
  if (named == Choice::Named::project) {
    for (const request::Project& each : door.ask(request::ProjectsRequest{}).projects)
      names.insert(each.name);
  } else {
    const bool is_qos = named == Choice::Named::qos;
    if (is_qos) names.insert({"expedite", "normal", "standby"});
    const nlohmann::json config = parse_json(door.ask(request::ConfigRequest{}).document, "configuration");
    const auto table = config.find(is_qos ? "qos" : "queues");
    if (table != config.end() && table->is_object())
      for (const auto& [name, value] : table->items()) names.insert(name);
  }
  names.erase("");
  return {names.begin(), names.end()};
}

// Throws where what a choice names is not there, as for a slip of the finger there would be no users.
void check_choices(const std::vector<Choice>& choices, const door::Door& door,
                   const request::AccountTree& tree) {
  for (const Choice& choice : choices) {
    if (choice.named == Choice::Named::nothing) continue;
    if (choice.named == Choice::Named::bank) {
      static_cast<void>(request::require_bank_node(tree, choice.name));
      continue;
    }
    const std::vector<std::string> known = known_names(choice.named, door, tree);
    if (has(known, choice.name)) continue;
    const std::string_view what = choice.named == Choice::Named::queue ? "queue"
                                  : choice.named == Choice::Named::qos ? "QoS"
                                                                       : "project";
    throw Error{Kind::not_found, fmt::format("{} {} does not exist", what, quote(choice.name)),
                did_you_mean(choice.name, known)};
  }
}

}  // namespace

int list_users(int argc, char** argv) {
  std::vector<Choice> choices;
  RowOptions which;
  which.add = [&](cli::OptionParser& parser) { add_choices(parser, choices); };
  which.check = [&](const door::Door& door, const request::AccountTree& tree) {
    check_choices(choices, door, tree);
  };
  which.is_wanted = [&](const request::AccountNode& node) {
    return std::ranges::all_of(choices, [&](const Choice& choice) { return choice.is(node); });
  };
  return list_all(argc, argv, "list-users", "list users, a line for each bank that one is in",
                  cli::AccountRows::users, which);
}

}  // namespace fq::tools::account
