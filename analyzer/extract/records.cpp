#include "analyzer/extract/records.h"

#include <clang/AST/Attr.h>
#include <llvm/ADT/DenseSet.h>

#include <algorithm>

namespace stridelock::extract {
namespace {

void add_fields(const clang::RecordDecl& record, const type_names& types, std::vector<ir::field>& out) {
  for (const clang::FieldDecl* field : record.fields()) {
    if (field->isAnonymousStructOrUnion()) {
      // Its fields are named like the outer class's own.
      if (const clang::RecordDecl* inner = record_behind(field->getType())) add_fields(*inner, types, out);
      continue;
    }
    out.push_back({std::string_view(field->getName()), types.spelled(field->getType()),
                   types.record(field->getType())});
  }
}

}  // namespace

std::vector<ir::record> lower_records(const collected& code, identity& names, const type_names& types) {
  std::vector<ir::record> out;
  for (const clang::CXXRecordDecl* record : code.records) {
    if (record->isAnonymousStructOrUnion()) continue;
    ir::record made;
    made.qualified = names.record(*record);
    for (const clang::CXXBaseSpecifier& base : record->bases())
      made.bases.push_back(types.record(base.getType()));
    add_fields(*record, types, made.fields);
    made.is_final = record->isEffectivelyFinal();
    out.push_back(std::move(made));
  }
  for (const clang::RecordDecl* record : code.c_records) {
    if (record->isAnonymousStructOrUnion()) continue;
    ir::record made;
    made.qualified = names.record(*record);
    add_fields(*record, types, made.fields);
    out.push_back(std::move(made));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ir::record& a, const ir::record& b) { return a.qualified < b.qualified; });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const ir::record& a, const ir::record& b) { return a.qualified == b.qualified; }),
            out.end());
  return out;
}

}  // namespace stridelock::extract
