// A function that takes a Passkey<Holder> can be called by Holder alone, for nobody else can make one.

#pragma once

namespace fq {

/// `Holder` is a class of the file that may call: where it is defined nowhere else, nobody else may.
template <typename Holder>
class Passkey {
  friend Holder;
  Passkey() = default;
};

}  // namespace fq
