// What the sub-commands of fq-account share: limits as options, numbers, and the trees that they show.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/list/account_listing.h"
#include "door/door.h"
#include "request/accounts.h"

namespace fq::tools::account {

/// A number that is not negative. Throws Error{invalid} with what it is of.
[[nodiscard]] double parse_shares(const std::string& text);

/// Adds --max-running-jobs and its like.
void add_limit_options(cli::OptionParser& parser, request::LimitEdits& limits);

/// Reads the tree of accounts and shows what `show` makes of it.
void show_accounts(const cli::CommonOptions& common,
                   const std::function<std::string(const request::AccountTree&)>& show);

/// Says what was not as one may expect, a line each.
void say_notes(const std::vector<std::string>& notes);

/// Options that say which rows are wanted.
struct RowOptions {
  std::function<void(cli::OptionParser&)> add;
  /// Throws where what they name is not there.
  std::function<void(const door::Door&, const request::AccountTree&)> check;
  std::function<bool(const request::AccountNode&)> is_wanted;
};

/// A command without operands: a listing of the rows of a kind, of all or those that are wanted.
int list_all(int argc, char** argv, std::string_view name, std::string_view summary, cli::AccountRows rows,
             const RowOptions& which = {});

}  // namespace fq::tools::account
