#include "request/signed_form.h"

#include <vector>

#include "signature/fields.h"

namespace fq::request {

SignedForm::SignedForm(const JobGroup& group) : group_(group) {
  if (group.size() == 1) {
    payload_ = group.jobspec_text(0, group.copies.empty() ? 0 : group.copies.first());
    return;
  }
  payload_ = signature::encode_fields(group.jobspec.pieces);
  group.for_each_job([&](std::size_t row, std::uint32_t number) { tree_.add(texts_of(row, number)); });
  const signature::Hash root = tree_.finish();
  root_.assign(root.begin(), root.end());
}

std::string SignedForm::values(std::size_t row, std::uint32_t number) const {
  return count() == 0 ? std::string{} : texts_of(row, number);
}

std::string SignedForm::texts_of(std::size_t row, std::uint32_t number) const {
  std::vector<std::string> texts;
  if (!group_.rows.empty()) {
    for (const NumberedText& text : group_.rows[row]) texts.push_back(text.with(number));
  }
  return signature::encode_fields(texts);
}

std::string SignedForm::proof(std::size_t index) const {
  return count() == 0 ? std::string{} : tree_.proof(index);
}

}  // namespace fq::request
