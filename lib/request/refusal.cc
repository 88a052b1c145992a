#include "request/refusal.h"

namespace fq::request {

bool is_about_the_job(Kind kind) {
  switch (kind) {
    case Kind::usage:
    case Kind::combination:
    case Kind::invalid:
    case Kind::refused:
    case Kind::not_found:
    case Kind::permission:
      return true;
    case Kind::timeout:
    case Kind::unavailable:
    case Kind::no_space:
    case Kind::exhausted:
    case Kind::io:
    case Kind::unknown_outcome:
    case Kind::internal:
      return false;
  }
  return false;
}

}  // namespace fq::request
