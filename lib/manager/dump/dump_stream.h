// A dump of a store: all that is true in it, in one stream of bytes that any machine reads.
//
//   dump     "fq-dump 1\n" block* end         the number is the version of this form
//   block    kind[1] be32(size) bytes check   check[64]: hexadecimal BLAKE2b-256 of all that was before it
//   but checks header   'H' JSON: {"format", "hostname", "time"}; the first block entries  'K' (family[1]
//   be32 key be32 value)*, each text behind its size file     'F' JSON: {"id", "name", "size", "blake2b"}: a
//   guest file of an ended job, whose bytes follow bytes    'B' end      'E' JSON: {"entries", "files"}: how
//   many there were; nothing follows

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "manager/run/guest_data.h"
#include "store/reader.h"

namespace fq::manager {

enum class DumpBlock : char { header = 'H', entries = 'K', file = 'F', bytes = 'B', end = 'E' };

class DumpWriter {
 public:
  /// `fd` outlives this; `name` is what messages call it.
  DumpWriter(int fd, std::string name);

  void header(std::string_view json);
  void entry(store::Family family, std::string_view key, std::string_view value);
  void file(std::string_view json);
  void bytes(std::string_view piece);
  /// To be called last. Throws, as all of these, Error{io} where it cannot be written.
  void end();

 private:
  void flush_entries();
  void write(DumpBlock kind, std::string_view bytes);

  int fd_;
  std::string name_, entries_;
  std::uint64_t count_ = 0, files_ = 0;
  std::string check_;
};

class DumpReader {
 public:
  /// The same. Throws Error{invalid} for what is no dump, or one of another version.
  DumpReader(int fd, std::string name);

  struct Block {
    DumpBlock kind = DumpBlock::end;
    std::string bytes;
  };
  /// The next one, which is what was written. Throws Error{invalid} `'FILE' is damaged at byte 4711: …`.
  [[nodiscard]] Block next();
  /// After the last one: throws Error{invalid} where something follows.
  void require_end();

  struct Entry {
    store::Family family;
    std::string_view key, value;
  };
  /// Takes the first entry off; nothing at the end.
  [[nodiscard]] std::optional<Entry> take_entry(std::string_view& entries) const;

  /// What is wrong with the last block.
  [[nodiscard]] Error damaged(std::string_view why) const;

 private:
  [[nodiscard]] std::string read(std::size_t size);

  int fd_;
  std::string name_;
  std::uint64_t at_ = 0, block_at_ = 0;
  std::string check_;
};

}  // namespace fq::manager
