// The operations on what goes on, as words in a frame; a number names what was made by it until it is let go.
//
//   watch N [ID...]          makes a Waiter of the jobs, decimal, that who asks sees (nothing comes back)
//   guest N                  which wakes when the shell of one whose documents who asks may read writes,
//                            too                                                    (nothing)
//   wait N SECONDS           sleeps; `inf`: for ever. Gives `changed`, `guest` (a wake for guest files
//   alone),
//                            `none` (the time was over) or `broken` (C came first)
//   open N ID NAME           opens a guest file: gives `yes` or `no`
//   read N                   gives what has been written since
//   input N ID RANKS CLOSED  makes a standard input, id sets as in RFC 22 or `-`: gives `yes` or `no`
//   write N\nBYTES           appends to it: gives `yes`
//   close N                  appends its end: gives `yes`
//   forget N                                                                        (nothing)
//   terminal ID              gives `yes` or `no`; after `yes` packets of the terminal go both ways
//                            (meeting/terminal_link.h), each a length of four bytes before it
//
// What cannot be done gives an error in its place.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fq::door {

struct LiveWords {
  std::vector<std::string> words;  ///< of the first line, at least one
  std::string_view bytes;          ///< the rest
};

/// So long the first line may be: each word of it takes ten times its length of memory.
inline constexpr std::size_t kMostOfWords = std::size_t{64} << 10;

/// Valid while `text` is. Throws Error{invalid} for none, or too many.
[[nodiscard]] LiveWords split_live(std::string_view text);
/// The word at `index`. Throws Error{invalid} where there is none.
[[nodiscard]] const std::string& word_at(const LiveWords& live, std::size_t index);
/// The same as a number. Throws as that, and for another word.
[[nodiscard]] std::uint64_t number_at(const LiveWords& live, std::size_t index);

}  // namespace fq::door
