#include "analyzer/tool/version.h"

#include "llvm/Config/llvm-config.h"

namespace stridelock::tool {

std::string version() {
  return STRIDELOCK_VERSION;
}

std::string version_line() {
  return "stridelock " + version() + " (Clang " LLVM_VERSION_STRING ")";
}

std::string homepage() {
  return STRIDELOCK_HOMEPAGE;
}

std::string check_page_base() {
  return STRIDELOCK_CHECK_PAGES;
}

}  // namespace stridelock::tool
