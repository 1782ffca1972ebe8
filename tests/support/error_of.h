// What a call says where it throws.
#pragma once

#include <string>

#include "base/error.h"

namespace driftwood::test {

/// The message of the Error that the call throws, "no error" where it throws none.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace driftwood::test
