// libpmi.so: the functions of PMI-1 (RFC 13) over its wire protocol, for programs that load them, as Open MPI
// does where FLUX_PMI_LIBRARY_PATH says so. It is no part of fq's programs. Without PMI_FD the process is the
// only one of its program. As PMI-1 itself it is not thread-safe.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace {

// RFC 13 §Return Codes.
enum Result : int { kSuccess = 0, kFail = -1, kNotBegun = 1, kTooLong = 2, kInvalidArgument = 3 };

struct Connection {
  int fd = -1;
  bool begun = false;
  int rank = 0;
  int size = 1;
  std::string name = "0";
  std::string held;  ///< read and not yet used
  int max_name = 256, max_key = 64, max_value = 1024;
};

Connection& connection() {
  static Connection the_one;
  return the_one;
}

int number_in_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Sends a request and reads its answer, a line; false where the other side is gone.
bool ask(const std::string& request, std::string& answer) {
  Connection& c = connection();
  if (!send_all(c.fd, request + "\n")) return false;
  std::size_t end;
  while ((end = c.held.find('\n')) == std::string::npos) {
    char buffer[4096];
    const ssize_t n = ::read(c.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    c.held.append(buffer, static_cast<std::size_t>(n));
  }
  answer = c.held.substr(0, end);
  c.held.erase(0, end + 1);
  return true;
}

/// The value of a key in an answer, up to the next blank, or to the end where it is the last; empty where it
/// is none.
std::string value_of(const std::string& answer, const std::string& key, bool to_end = false) {
  const std::size_t at = (" " + answer).find(" " + key + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size() + 1;
  return answer.substr(begin, to_end ? std::string::npos : answer.find(' ', begin) - begin);
}

bool went_well(const std::string& answer) {
  const std::string rc = value_of(answer, "rc");
  return rc.empty() || rc == "0";
}

int copy_out(const std::string& text, char* to, int length) {
  if (to == nullptr || length <= 0) return kInvalidArgument;
  if (text.size() >= static_cast<std::size_t>(length)) return kTooLong;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

/// The ranks on the node of this process, by the blocks (NODE,NODES,EACH) of the process manager's map (RFC
/// 13 §Local Process Group Information); this one alone where that is unknown.
std::vector<int> ranks_here() {
  const Connection& c = connection();
  std::vector<int> nodes;  // by rank
  std::string answer;
  if (c.fd >= 0 && ask("cmd=get kvsname=" + c.name + " key=PMI_process_mapping", answer)) {
    const std::string map = value_of(answer, "value", true);
    const auto size = static_cast<std::size_t>(c.size);
    for (std::size_t at = map.find("(");
         (at = map.find('(', at + 1)) != std::string::npos && nodes.size() < size;) {
      int node = 0, count = 0, each = 0;
      if (std::sscanf(map.c_str() + at, "(%d,%d,%d)", &node, &count, &each) != 3) break;
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < each && nodes.size() < size; ++j) nodes.push_back(node + i);
      }
    }
  }
  const auto rank = static_cast<std::size_t>(c.rank);
  if (rank >= nodes.size()) return {c.rank};
  std::vector<int> ranks;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == nodes[rank]) ranks.push_back(static_cast<int>(i));
  }
  return ranks;
}

int give(int value, int* to) {
  if (!connection().begun) return kNotBegun;
  if (to == nullptr) return kInvalidArgument;
  *to = value;
  return kSuccess;
}

/// A number that the process manager tells; `otherwise` where there is none.
int ask_number(const char* command, const char* key, int otherwise, int* to) {
  std::string answer;
  int value = otherwise;
  if (connection().fd >= 0) {
    if (!ask(std::string{"cmd="} + command, answer) || !went_well(answer)) return kFail;
    value = std::atoi(value_of(answer, key).c_str());
  }
  return give(value, to);
}

}  // namespace

extern "C" {

int PMI_Init(int* spawned) {
  Connection& c = connection();
  if (spawned == nullptr) return kInvalidArgument;
  *spawned = 0;
  if (c.begun) return kSuccess;
  c.fd = number_in_environment("PMI_FD", -1);
  if (c.fd >= 0) {
    c.rank = number_in_environment("PMI_RANK", 0);
    c.size = number_in_environment("PMI_SIZE", 1);
    std::string answer;
    if (!ask("cmd=init pmi_version=1 pmi_subversion=1", answer) || !went_well(answer)) return kFail;
    if (!ask("cmd=get_maxes", answer) || !went_well(answer)) return kFail;
    c.max_name = std::atoi(value_of(answer, "kvsname_max").c_str());
    c.max_key = std::atoi(value_of(answer, "keylen_max").c_str());
    c.max_value = std::atoi(value_of(answer, "vallen_max").c_str());
    if (!ask("cmd=get_my_kvsname", answer) || !went_well(answer)) return kFail;
    c.name = value_of(answer, "kvsname");
  }
  c.begun = true;
  return kSuccess;
}

int PMI_Initialized(int* initialized) {
  if (initialized == nullptr) return kInvalidArgument;
  *initialized = connection().begun ? 1 : 0;
  return kSuccess;
}

int PMI_Finalize(void) {
  Connection& c = connection();
  std::string answer;
  if (c.begun && c.fd >= 0) ask("cmd=finalize", answer);
  c.begun = false;
  return kSuccess;
}

int PMI_Abort(int exit_code, const char message[]) {
  const Connection& c = connection();
  const std::string said = message == nullptr ? "" : message;
  std::fprintf(stderr, "PMI_Abort: %s\n", said.c_str());
  if (c.fd >= 0)
    send_all(c.fd,
             "cmd=abort exitcode=" + std::to_string(exit_code) + (said.empty() ? "" : " msg=" + said) + "\n");
  std::exit(exit_code);
}

int PMI_Get_size(int* size) {
  return give(connection().size, size);
}

int PMI_Get_rank(int* rank) {
  return give(connection().rank, rank);
}

int PMI_Get_universe_size(int* size) {
  return ask_number("get_universe_size", "size", 1, size);
}

int PMI_Get_appnum(int* appnum) {
  return ask_number("get_appnum", "appnum", 0, appnum);
}

int PMI_Get_clique_size(int* size) {
  if (!connection().begun) return kNotBegun;
  return give(static_cast<int>(ranks_here().size()), size);
}

int PMI_Get_clique_ranks(int ranks[], int length) {
  if (!connection().begun) return kNotBegun;
  const std::vector<int> here = ranks_here();
  if (ranks == nullptr || length < static_cast<int>(here.size())) return kInvalidArgument;
  std::copy(here.begin(), here.end(), ranks);
  return kSuccess;
}

int PMI_KVS_Get_my_name(char name[], int length) {
  return connection().begun ? copy_out(connection().name, name, length) : static_cast<int>(kNotBegun);
}

int PMI_Get_id(char id[], int length) {
  return PMI_KVS_Get_my_name(id, length);
}

int PMI_Get_kvs_domain_id(char id[], int length) {
  return PMI_KVS_Get_my_name(id, length);
}

int PMI_KVS_Get_name_length_max(int* length) {
  return give(connection().max_name, length);
}

int PMI_Get_id_length_max(int* length) {
  return give(connection().max_name, length);
}

int PMI_KVS_Get_key_length_max(int* length) {
  return give(connection().max_key, length);
}

int PMI_KVS_Get_value_length_max(int* length) {
  return give(connection().max_value, length);
}

int PMI_KVS_Put(const char name[], const char key[], const char value[]) {
  const Connection& c = connection();
  if (!c.begun) return kNotBegun;
  if (name == nullptr || key == nullptr || value == nullptr) return kInvalidArgument;
  if (std::strpbrk(key, " =\n") != nullptr || std::strchr(value, '\n') != nullptr) return kInvalidArgument;
  if (c.fd < 0) return kSuccess;  // nobody is there to get it
  std::string answer;
  if (!ask(std::string{"cmd=put kvsname="} + name + " key=" + key + " value=" + value, answer)) return kFail;
  return went_well(answer) ? kSuccess : kFail;
}

int PMI_KVS_Commit(const char name[]) {
  if (!connection().begun) return kNotBegun;
  return name == nullptr ? kInvalidArgument : kSuccess;
}

int PMI_KVS_Get(const char name[], const char key[], char value[], int length) {
  const Connection& c = connection();
  if (!c.begun) return kNotBegun;
  if (name == nullptr || key == nullptr) return kInvalidArgument;
  if (c.fd < 0) return kFail;
  std::string answer;
  if (!ask(std::string{"cmd=get kvsname="} + name + " key=" + key, answer) || !went_well(answer))
    return kFail;
  return copy_out(value_of(answer, "value", true), value, length);
}

int PMI_Barrier(void) {
  const Connection& c = connection();
  if (!c.begun) return kNotBegun;
  if (c.fd < 0) return kSuccess;
  std::string answer;
  return ask("cmd=barrier_in", answer) && went_well(answer) ? kSuccess : kFail;
}

// Optional in RFC 13: nothing of these is offered.
int PMI_Publish_name(const char*, const char*) {
  return kFail;
}
int PMI_Unpublish_name(const char*) {
  return kFail;
}
int PMI_Lookup_name(const char*, char*) {
  return kFail;
}
int PMI_Spawn_multiple(int, const char**, const char***, const int*, const int*, const void**, int,
                       const void*, int*) {
  return kFail;
}

}  // extern "C"
