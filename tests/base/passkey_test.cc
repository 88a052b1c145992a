#include "base/passkey.h"

#include <concepts>
#include <type_traits>

#include <gtest/gtest.h>

namespace fq {
namespace {

class Holder {
 public:
  static Passkey<Holder> make() { return {}; }
};

template <typename Key>
concept MadeByAnybody = std::is_default_constructible_v<Key> || requires {
  Key{};
};

TEST(Passkey, is_made_by_its_holder_alone) {
  // Others can hand on a key that they were given, but make none.
  static_assert(!MadeByAnybody<Passkey<Holder>>);
  static_assert(std::copy_constructible<Passkey<Holder>>);
  static_cast<void>(Holder::make());
}

}  // namespace
}  // namespace fq
