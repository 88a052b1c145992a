// The sub-commands of fq-account. Each takes its own arguments (argv[0] its name) and returns an exit code.

#pragma once

namespace fq::tools::account {

int add_bank(int argc, char** argv);
int edit_bank(int argc, char** argv);
int delete_bank(int argc, char** argv);
int view_bank(int argc, char** argv);
int list_banks(int argc, char** argv);

int add_user(int argc, char** argv);
int edit_user(int argc, char** argv);
int delete_user(int argc, char** argv);
int view_user(int argc, char** argv);
int list_users(int argc, char** argv);

int add_queue(int argc, char** argv);
int edit_queue(int argc, char** argv);
int delete_queue(int argc, char** argv);
int view_queue(int argc, char** argv);
int list_queues(int argc, char** argv);

int add_project(int argc, char** argv);
int edit_project(int argc, char** argv);
int delete_project(int argc, char** argv);
int view_project(int argc, char** argv);
int list_projects(int argc, char** argv);

int charge(int argc, char** argv);
int clear_usage(int argc, char** argv);
int show_usage(int argc, char** argv);
int bank_info(int argc, char** argv);
int view_usage_report(int argc, char** argv);
int export_tables(int argc, char** argv);
int import_tables(int argc, char** argv);
/// The same under the name that flux-accounting has for it.
int pop_tables(int argc, char** argv);

}  // namespace fq::tools::account
