// One value of each type. A type that is defined in one file only makes a value that no other file can reach.

#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace fq {

class ByType {
 public:
  /// The value of type T, as its default constructor makes it when it is first asked for. Valid until clear.
  template <typename T>
  [[nodiscard]] T& get() {
    std::unique_ptr<Value>& value = values_[typeid(T)];
    if (!value) value = std::make_unique<ValueOf<T>>();
    return static_cast<ValueOf<T>&>(*value).value;
  }
  void clear() { values_.clear(); }

 private:
  struct Value {
    virtual ~Value() = default;
  };
  template <typename T>
  struct ValueOf : Value {
    T value{};
  };

  std::map<std::type_index, std::unique_ptr<Value>> values_;
};

}  // namespace fq
