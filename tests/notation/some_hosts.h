// Lists of hosts for property tests.

#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <rapidcheck.h>

namespace fq::notation {

/// Hosts with few names and numbers, so that they repeat, follow each other, and differ in padding only.
inline rc::Gen<std::vector<std::string>> any_hosts() {
  return rc::gen::container<std::vector<std::string>>(rc::gen::map(
      rc::gen::tuple(rc::gen::element<std::string>("", "n", "m-", "n1", "n0"), rc::gen::inRange(-1, 13),
                     rc::gen::inRange(0, 4), rc::gen::element<std::string>("", "", "", "-ib", "s2")),
      [](const std::tuple<std::string, int, int, std::string>& parts) {
        const auto& [name, number, width, suffix] = parts;
        const std::string host = number < 0 ? name : fmt::format("{}{:0{}}{}", name, number, width, suffix);
        return host.empty() ? std::string{"x"} : host;
      }));
}

}  // namespace fq::notation
