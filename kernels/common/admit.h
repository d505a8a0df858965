// admit.h: the first line of every launcher.
//
// Promises:  a report that is not ok goes to the failure hook (runtime's failure.h); when the hook returns the answer is
//            false, so that bad input is never launched, also where violations are only counted.
//            admit_checked() lets facts pass whose evidence is `unchecked`: it stands for a kernel that does not look.
#pragma once

#include <utility>

#include "stridelock/failure.h"
#include "stridelock/report.h"

namespace stridelock::kernels {

inline bool admit(report&& r) {
  if (r.ok()) return true;
  fail(std::move(r));
  return false;
}

inline bool admit_checked(report&& r) {
  bool all_unchecked = !r.incomplete();
  for (const violation& v : r) all_unchecked = all_unchecked && v.how == evidence::unchecked;
  return r.ok() || all_unchecked || admit(std::move(r));
}

}  // namespace stridelock::kernels
