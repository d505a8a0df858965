// contract_file.h: contracts as YAML: read, owned, handed to the evaluator, written.
//
// Promises:  owns every text and table, so views stay good while the object lives, also after a move; what was added is
//            written, and what is written reads back to the same contracts, or writing fails and names what YAML cannot say: nothing is
//            dropped. Any bytes give a file or one error with line, column and what was expected.
// Does not:  evaluate; make contracts constant objects: their evaluation is the loop evaluator of evaluate.h. Keep
//            comments, or the order of keys, of a file it read.
// Cost:      cold.
//
//   contract_file_result r = read_contract_file(bytes, "flashinfer.yaml");
//   if (!r.ok) return fail(r.error.str());
//   const dispatch_view* sparse_mla = r.file.find("sparse_mla");
//   const report verdict = evaluate(*sparse_mla, arguments, 5);
//
//   contract_file out;
//   out.library = {"flashinfer", "0.6.18", ""};
//   out.add(sparse_mla.view());
//   const contract_text text = write_contract_file(out);        // text.ok, text.yaml
//
// The format is described in docs/contracts.md, "As YAML".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stridelock/contract.h"
#include "stridelock/text_error.h"

namespace stridelock {
inline namespace v1 {

// What the contracts were written or inferred from.
struct library_identity {
  std::string name{};
  std::string version{};
  std::string digest{};  // of the checks it was inferred from; empty: written by hand

  friend bool operator==(const library_identity& a, const library_identity& b) {
    return a.name == b.name && a.version == b.version && a.digest == b.digest;
  }
};

// What a function of the source asks of one parameter. Only the analyzer reads these.
struct function_requirement {
  std::string function{};   // qualified name; a trailing '*' stands for anything
  std::uint32_t param = 0;  // position as in a call; 0 is the object of a method
  std::string layout{};     // as in STRIDELOCK_REQUIRES
  std::uint32_t line = 0;
};

namespace detail {
struct contract_storage;
}

class contract_file {
 public:
  contract_file();
  contract_file(contract_file&&) noexcept;
  contract_file& operator=(contract_file&&) noexcept;
  contract_file(const contract_file&) = delete;
  contract_file& operator=(const contract_file&) = delete;
  ~contract_file();

  library_identity library{};
  std::vector<function_requirement> functions{};
  std::vector<std::string> functions_that_ask_nothing{};  // listed with an empty `requires`

  // Copies all of it. A single contract counts as a dispatch of one branch, named like its kernel.
  void add(const dispatch_view& what);
  void add(const contract_view& what);

  int size() const;
  const dispatch_view& operator[](int i) const;
  const dispatch_view* find(std::string_view name) const;  // null: none of that name
  bool is_single(int i) const;                             // was one contract, not a dispatch
  std::uint32_t line(int i) const;                         // 0: not from a text

  detail::contract_storage& storage() { return *storage_; }

 private:
  std::unique_ptr<detail::contract_storage> storage_;
};

struct contract_file_result {
  bool ok = false;
  contract_file file{};
  text_error error{};
};

contract_file_result read_contract_file(std::string_view yaml, std::string_view file_name);

struct contract_text {
  bool ok = false;
  std::string yaml{};
  std::string error{};  // a sentence that names what cannot be written
};

contract_text write_contract_file(const contract_file& file);

}  // namespace v1
}  // namespace stridelock
