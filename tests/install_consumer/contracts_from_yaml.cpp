#include "stridelock/contract_file.h"

bool reads_contracts_from_yaml() {
  const auto r =
      stridelock::read_contract_file("schema: 1\ncontracts: [{kernel: k, arguments: [{name: x}]}]\n", "c");
  return r.ok && r.file.find("k") != nullptr && stridelock::write_contract_file(r.file).ok;
}
