// Ledgers and drifts as text and JSON. Private to the library. Nothing here prints an address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stridelock/drift.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

struct ledger_data;

std::string text_of(const ledger_data* book);
std::string json_of(const ledger_data* book);

std::string hexadecimal(std::uint64_t value);         // 4000
std::string text_of(const recorded_place& place);     // kv_pool+0x4000 gen 7
std::string text_of(scalar_value value);              // 0.5, 3, true
std::string text_of(const source_line& where);        // engine.cpp:12
std::string json_tensor(const tensor_desc& tensor);   // members without braces
std::string json_place(const recorded_place& place);  // members without braces
std::string json_scalar(scalar_value value);

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
