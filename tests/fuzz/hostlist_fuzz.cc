// Hostlist::decode over any bytes: it refuses them, or what it read can be written and read again. Where the
// input has a space, which no hostlist has, its two sides are two lists for the operations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/support.h"
#include "notation/hostlist.h"

using fq::fuzz::read_or_refuse;
using fq::fuzz::require;
using fq::notation::Hostlist;

namespace {

constexpr std::uint64_t kMostToExpand = 2000;

void check_list(const Hostlist& list) {
  const auto hosts = list.hosts();
  require(hosts.size() == list.count());
  require(Hostlist::decode(list.encode()).hosts() == hosts);
  for (std::size_t i = 0; i < hosts.size(); i += 1 + hosts.size() / 16) {
    require(list.nth(i) == hosts[i]);
    require(list.find(hosts[i]) ==
            static_cast<std::uint64_t>(std::find(hosts.begin(), hosts.end(), hosts[i]) - hosts.begin()));
    Hostlist less = list;
    less.erase_at(i);
    auto left = hosts;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    require(less.hosts() == left);
    require(less.count() == left.size());
  }
}

void check_pair(const Hostlist& a, const Hostlist& b) {
  std::vector<std::string> common;
  std::vector<std::string> rest;
  for (const std::string& host : a.hosts()) (b.contains(host) ? common : rest).push_back(host);
  require(a.intersect(b).hosts() == common);
  require(a.subtract(b).hosts() == rest);
  auto left = a.hosts();
  if (left.size() * b.count() <= 100'000) {
    for (const std::string& host : b.hosts()) {
      if (const auto at = std::find(left.begin(), left.end(), host); at != left.end()) left.erase(at);
    }
    Hostlist less = a;
    less.erase(b);
    require(less.hosts() == left);
  }
  Hostlist both = a;
  both.append(b);
  auto hosts = a.hosts();
  for (const std::string& host : b.hosts()) hosts.push_back(host);
  require(both.hosts() == hosts);
  std::sort(hosts.begin(), hosts.end());
  both.sort();
  auto sorted = both.hosts();
  std::sort(sorted.begin(), sorted.end());
  require(sorted == hosts);
  both.uniq();
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  sorted = both.hosts();
  std::sort(sorted.begin(), sorted.end());
  require(sorted == hosts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t middle = text.find(' ');
  const auto a = read_or_refuse([&] { return Hostlist::decode(text.substr(0, middle)); });
  if (!a || a->count() > kMostToExpand) return 0;
  check_list(*a);
  if (middle == std::string_view::npos) return 0;
  const auto b = read_or_refuse([&] { return Hostlist::decode(text.substr(middle + 1)); });
  if (b && b->count() <= kMostToExpand) check_pair(*a, *b);
  return 0;
}
