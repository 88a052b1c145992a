// What tests of fq-imp need and no command does: keys, messages for `exec`, trees of many jobs, and requests
// signed by whom and for whatever they like. Bytes are in files or on standard input, and come to standard
// output.
//
//   imp_tool keys DIR                                 a new pair there, as of a rotation where there is one
//   imp_tool forge DIR STORE UID USER MACHINE TIME EXPIRY NONCE RESTARTS    J by that key, of the jobspec on
//   stdin imp_tool message STORE ID ATTEMPT END R J [INDEX VALUES PROOF [NUMBER]]          R, J, VALUES and
//   PROOF are files imp_tool root VALUES...                           COUNT ROOT for the files with the jobs'
//   values imp_tool proof INDEX VALUES... imp_tool fields TEXT...                           a list of texts
//   as one imp_tool show J                                   header and payload, in words imp_tool jobspec
//   JOB                              what the user's half would run, of what it reads

#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <sodium.h>
#include <sys/stat.h>

#include "signature/exec_message.h"
#include "signature/fields.h"
#include "signature/keys.h"
#include "signature/merkle.h"
#include "signature/signed_request.h"

namespace {

using namespace fq::signature;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string input() {
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

int run(const std::vector<std::string>& words) {
  const std::string& verb = words.at(0);
  MerkleTree tree;
  if (verb == "keys") {
    const std::string secret = words.at(1) + "/imp.key", known = words.at(1) + "/imp.pub";
    const KeyTexts keys = new_keys(contents(known), std::time(nullptr), kLongestLife);
    std::ofstream(known) << keys.known;
    std::ofstream(secret) << keys.secret;
    ::chmod(secret.c_str(), 0600);
  } else if (verb == "forge") {
    SignedRequest request;
    request.store = words.at(2);
    request.userid = static_cast<std::uint32_t>(std::stoul(words.at(3)));
    request.user = words.at(4);
    request.machine = words.at(5);
    request.time = std::stoll(words.at(6));
    request.expiry = std::stoll(words.at(7));
    request.nonce = words.at(8);
    request.restarts = static_cast<std::uint32_t>(std::stoul(words.at(9)));
    request.payload = input();
    std::cout << sign(request, SecretKey::parse(contents(words.at(1) + "/imp.key")));
  } else if (verb == "message") {
    ExecMessage message;
    message.store = words.at(1);
    message.id = std::stoull(words.at(2));
    message.attempt = static_cast<std::uint32_t>(std::stoul(words.at(3)));
    message.end = std::stoull(words.at(4));
    message.R = contents(words.at(5));
    message.J = contents(words.at(6));
    if (words.size() > 7) {
      message.index = std::stoull(words.at(7));
      message.values = contents(words.at(8));
      message.proof = contents(words.at(9));
      if (words.size() > 10) message.number = std::stoull(words.at(10));
    }
    std::cout << encode_message(message);
  } else if (verb == "root") {
    for (std::size_t i = 1; i < words.size(); ++i) tree.add(contents(words[i]));
    const Hash root = tree.finish();
    std::cout << tree.size() << " " << to_base64({reinterpret_cast<const char*>(root.data()), root.size()})
              << "\n";
  } else if (verb == "proof") {
    for (std::size_t i = 2; i < words.size(); ++i) tree.add(contents(words[i]));
    tree.finish();
    std::cout << tree.proof(std::stoull(words.at(1)));
  } else if (verb == "fields") {
    std::cout << encode_fields({words.begin() + 1, words.end()});
  } else if (verb == "show") {
    const std::string J = contents(words.at(1));
    std::string header = from_base64(J.substr(0, J.find('.')));
    for (char& c : header) c = c == '\0' ? ' ' : c;
    const std::size_t payload = J.find('.') + 1;
    std::cout << header << from_base64(J.substr(payload, J.find('.', payload) - payload)) << "\n";
  } else if (verb == "jobspec") {
    const SignedJob job = decode_job(contents(words.at(1)));
    std::cout << (job.count == 0 ? job.payload : fill_template(job.payload, job.values));
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return ::sodium_init() < 0 ? 1 : run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "imp_tool: " << failure.what() << "\n";
    return 1;
  }
}
