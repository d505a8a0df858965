// Which functions and classes of a translation unit are the project's.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>

#include <cstdint>
#include <vector>

#include "analyzer/extract/identity.h"
#include "analyzer/extract/project_files.h"

namespace stridelock::extract {

struct collected {
  std::vector<const clang::FunctionDecl*>
      definitions;  // with a body, not dependent; lambdas' bodies included
  std::vector<const clang::FunctionDecl*>
      declarations;  // declared in the project, or with a contract; no body here
  std::vector<const clang::CXXRecordDecl*> records;  // complete, not dependent
  std::vector<const clang::RecordDecl*> c_records;   // of C
  std::uint32_t templates_without_instance = 0;
};

// Names every lambda it meets (identity::announce_lambda).
collected collect(clang::ASTContext& ast, const project_files& files, identity& names);

}  // namespace stridelock::extract
