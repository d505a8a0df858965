// Golden texts: one for each kind of violation. A message states the fact that failed and never prints an address.
#include "stridelock/message.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <random>

#include "stridelock/evaluate.h"

namespace stridelock {
namespace {

constexpr device gpu{device_kind::cuda, 0};
alignas(256) char memory[256];
const void* const base = memory;

// Every data word of every test here is an address inside `memory`. None of them may show in a message.
std::string without_addresses(std::string message) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  for (std::uintptr_t address = first; address <= first + sizeof memory; ++address) {
    char hex[2 * sizeof address + 1];
    std::snprintf(hex, sizeof hex, "%zx", static_cast<std::size_t>(address));
    EXPECT_EQ(message.find(std::to_string(address)), std::string::npos) << message;
    EXPECT_EQ(message.find(hex), std::string::npos) << message;
  }
  EXPECT_EQ(message.find("0x"), std::string::npos) << message;
  return message;
}

template <class C, class... T>
std::string told(const C& what, const T&... tensors) {
  const argument_value values[] = {argument_value(tensors.ref())...};
  return without_addresses(text(evaluate(what.view(), values, static_cast<int>(sizeof...(T)))));
}

tensor_desc anonymous(const tensor_desc& d) {  // as an adapter describes it: nobody knows where it comes from
  tensor_ref r = d.ref();
  r.from = nullptr;
  return tensor_desc::copy_of(r);
}

tensor_desc tensor(dtype type, std::initializer_list<index_t> extents,
                   std::initializer_list<index_t> strides) {
  return anonymous(tensor_desc::strided("x", type, extents, strides, gpu, base));
}

constexpr index_t pairs[][2] = {{64, 512}, {128, 512}};

// ---- the message of the manual -----------------------------------------------------------------------------------------

constexpr auto decode = make_contract("decode", arg("q").shape(sym("T"), any, 512),
                                      arg("extra_indices")
                                          .type(types::int32)
                                          .shape(sym("T"), sym("W"))
                                          .layout(notion::dense, unchecked())
                                          .bounded_outside("extra_topk_length", "scratch"))
                            .when(sym("T") <= parameter("decode_max_tokens"));
constexpr auto paged = make_contract("paged", arg("q").shape(sym("T"), any, 512),
                                     arg("extra_indices")
                                         .type(types::int32)
                                         .shape(sym("T"), sym("W"))
                                         .layout(notion::dense, checked_at("sparse_mla.cu:225"))
                                         .bounded_outside("extra_topk_length", "scratch"))
                           .when(sym("T") > parameter("decode_max_tokens"));
constexpr auto sparse_mla =
    make_dispatch("sparse_mla", decode, paged).with(library_parameter("decode_max_tokens", {64}));

tensor_desc narrowed(index_t rows) {
  return tensor_desc::dense("c128a_decode", types::int32, {512, 1024}, gpu, base)
      .rows(0, rows)
      .columns(0, 256, source_line("engine/metadata.cpp", 88));
}

TEST(message, the_seed_refused) {
  const tensor_desc q66 = tensor_desc::dense("q", types::bfloat16, {66, 64, 512}, gpu, base);
  EXPECT_EQ(
      told(sparse_mla, q66, narrowed(66)),
      R"(sparse_mla: argument 'extra_indices' breaks its contract: row pitch is 1024, needs 256 (dense rows)
  got   int32 (66,256):(1024,1), cuda:0
  from  columns [0, 256) of 'c128a_decode' (512,1024) (engine/metadata.cpp:88) keep its row pitch of 1024
  when  T = 66 > decode_max_tokens = 64 takes 'paged', which refuses (checked, sparse_mla.cu:225);
        'decode' (T <= 64) does not check: rows from 1 on would be wrong
  fix   full rows, c128a_decode.rows(0, 66): dense, readers are bounded by extra_topk_length; scans 1024 columns, scratch x4
        or a kernel that takes the row pitch. Not .contiguous(): 67,584 bytes copied per step, address not the graph's
)");
}

TEST(message, the_seed_silent) {
  const tensor_desc q6 = tensor_desc::dense("q", types::bfloat16, {6, 64, 512}, gpu, base);
  EXPECT_EQ(
      told(sparse_mla, q6, narrowed(6)),
      R"(sparse_mla: argument 'extra_indices' breaks its contract: row pitch is 1024, needs 256 (dense rows)
  got   int32 (6,256):(1024,1), cuda:0
  from  columns [0, 256) of 'c128a_decode' (512,1024) (engine/metadata.cpp:88) keep its row pitch of 1024
  when  T = 6 <= decode_max_tokens = 64 takes 'decode', which does not check: rows from 1 on are wrong;
        'paged' (T > 64) refuses too (checked, sparse_mla.cu:225)
  fix   full rows, c128a_decode.rows(0, 6): dense, readers are bounded by extra_topk_length; scans 1024 columns, scratch x4
        or a kernel that takes the row pitch. Not .contiguous(): 6,144 bytes copied per step, address not the graph's
)");
}

TEST(message, several_violations_open_with_a_table) {
  constexpr static auto norm = make_contract(
      "rms_norm", arg("x").shape(sym("M"), sym("N")).layout(notion::row_pitched),
      arg("w").type(types::float16).shape(sym("N")).layout(notion::dense, checked_at("norm.cu:40")),
      arg("out").shape(sym("M"), sym("N")).output());
  EXPECT_EQ(told(norm, tensor(types::float16, {8, 4096}, {12288, 1}), tensor(types::float32, {4096}, {2}),
                 tensor(types::float16, {8, 4100}, {4100, 1})),
            R"(contract rms_norm: 3 violations
  x        float16 (8,4096):(12288,1), cuda:0  ok
  w        float32 (4096):(2), cuda:0          dtype is float32, needs float16; stride[0] is 2, needs 1 (dense)   <- first
  out      float16 (8,4100):(4100,1), cuda:0   shape[1] is 4100, needs N = 4096 from x.shape[1]
  symbols  M = 8 (x.shape[0]), N = 4096 (x.shape[1])
rms_norm: argument 'w' breaks its contract: dtype is float32, needs float16
  got   float32 (4096):(2), cuda:0
  from  not recorded
  when  every call takes 'rms_norm', which refuses (declared)
  fix   pass float16; a conversion is a copy
rms_norm: argument 'w' breaks its contract: stride[0] is 2, needs 1 (dense)
  got   float32 (4096):(2), cuda:0
  from  not recorded
  when  every call takes 'rms_norm', which refuses (checked, norm.cu:40)
  fix   a dense copy made before capture (16,384 bytes), or a kernel that takes the strides. Not .contiguous(): 16,384 bytes copied per step, address not the graph's
rms_norm: argument 'out' breaks its contract: shape[1] is 4100, needs N = 4096 from x.shape[1]
  got   float16 (8,4100):(4100,1), cuda:0
  from  not recorded
  when  every call takes 'rms_norm', which refuses (declared)
  fix   make 'out' and 'x' agree
)");
}

TEST(message, type) {
  constexpr static auto mat =
      make_contract("mat", arg("x").type(types::int32).or_type(types::int64).shape(sym("T"), 8));
  EXPECT_EQ(told(mat, tensor(types::float16, {4, 8}, {8, 1})),
            R"(mat: argument 'x' breaks its contract: dtype is float16, needs int32 or int64
  got   float16 (4,8):(8,1), cuda:0
  from  not recorded
  when  every call takes 'mat', which refuses (declared)
  fix   pass int32 or int64; a conversion is a copy
)");
}

TEST(message, rank) {
  constexpr static auto mat =
      make_contract("mat", arg("x").type(types::int32).or_type(types::int64).shape(sym("T"), 8));
  EXPECT_EQ(told(mat, tensor(types::int32, {8}, {1})),
            R"(mat: argument 'x' breaks its contract: rank is 1, needs 2
  got   int32 (8):(1), cuda:0
  from  not recorded
  when  every call takes 'mat', which refuses (declared)
  fix   add dimension 0, of extent 1: (1,8), a view, free
)");
}

TEST(message, extent) {
  constexpr static auto mat =
      make_contract("mat", arg("x").type(types::int32).or_type(types::int64).shape(sym("T"), 8));
  EXPECT_EQ(told(mat, tensor(types::int32, {4, 9}, {9, 1})),
            R"(mat: argument 'x' breaks its contract: shape[1] is 9, needs 8
  got   int32 (4,9):(9,1), cuda:0
  from  not recorded
  when  every call takes 'mat', which refuses (declared)
  fix   pass a tensor of the declared shape
)");
}

TEST(message, negative_extent) {
  constexpr static auto mat =
      make_contract("mat", arg("x").type(types::int32).or_type(types::int64).shape(sym("T"), 8));
  EXPECT_EQ(told(mat, tensor(types::int32, {-4, 8}, {8, 1})),
            R"(mat: argument 'x' breaks its contract: shape[0] is -4, needs at least 0
  got   int32 (-4,8):(8,1), cuda:0
  from  not recorded
  when  every call takes 'mat', which refuses (declared)
  fix   correct the size computation that made it
)");
}

TEST(message, not_addressable) {
  constexpr static auto mat =
      make_contract("mat", arg("x").type(types::int32).or_type(types::int64).shape(sym("T"), 8));
  EXPECT_EQ(told(mat, tensor(types::int32, {std::numeric_limits<index_t>::max(), 8}, {8, 1})),
            R"(mat: argument 'x' breaks its contract: its extents and strides reach beyond 64 bits
  got   int32 (9223372036854775807,8):(8,1), cuda:0
  from  not recorded
  when  every call takes 'mat', which refuses (declared)
  fix   correct the sizes and strides; no tensor is that large
)");
}

TEST(message, null_data) {
  constexpr static auto mat =
      make_contract("mat", arg("x").type(types::int32).or_type(types::int64).shape(sym("T"), 8));
  EXPECT_EQ(told(mat, anonymous(tensor_desc::dense("x", types::int32, {4, 8}, gpu))),
            R"(mat: argument 'x' breaks its contract: data is null, but 32 elements are addressed
  got   int32 (4,8):(8,1), cuda:0
  from  not recorded
  when  every call takes 'mat', which refuses (declared)
  fix   allocate it before the call
)");
}

TEST(message, symbol_named_with_its_origin) {
  constexpr static auto pair = make_contract("pair", arg("a").shape(sym("n") + 1).strides(sym("S")),
                                             arg("b").shape(sym("n")).strides(sym("S")));
  EXPECT_EQ(told(pair, tensor(types::int32, {6}, {1}), tensor(types::int32, {4}, {1})),
            R"(pair: argument 'a' breaks its contract: shape[0] is 6, needs n+1 = 5 from b.shape[0]
  got   int32 (6):(1), cuda:0
  from  not recorded
  when  every call takes 'pair', which refuses (declared)
  fix   make 'a' and 'b' agree
)");
}

TEST(message, stride) {
  constexpr static auto pair = make_contract("pair", arg("a").shape(sym("n") + 1).strides(sym("S")),
                                             arg("b").shape(sym("n")).strides(sym("S")));
  EXPECT_EQ(told(pair, tensor(types::int32, {5}, {-1}), tensor(types::int32, {4}, {-2})),
            R"(pair: argument 'b' breaks its contract: stride[0] is -2, needs S = -1 from a.stride[0]
  got   int32 (4):(-2), cuda:0
  from  not recorded
  when  every call takes 'pair', which refuses (declared)
  fix   make 'b' and 'a' agree
)");
}

TEST(message, device) {
  constexpr static auto pair = make_contract("pair", arg("a").shape(sym("n") + 1).strides(sym("S")),
                                             arg("b").shape(sym("n")).strides(sym("S")));
  EXPECT_EQ(told(pair, tensor(types::int32, {5}, {1}),
                 anonymous(tensor_desc::dense("x", types::int32, {4}, {device_kind::cuda, 1}, base))),
            R"(pair: argument 'b' breaks its contract: it is on cuda:1, 'a' is on cuda:0
  got   int32 (4):(1), cuda:1
  from  not recorded
  when  every call takes 'pair', which refuses (declared)
  fix   keep all arguments on one device
)");
}

TEST(message, overflow) {
  constexpr static auto big = make_contract("big", arg("a").shape(sym("n")), arg("b").shape(1000 * sym("n")));
  EXPECT_EQ(told(big, tensor(types::int8, {std::numeric_limits<index_t>::max()}, {1}),
                 tensor(types::int8, {4}, {1})),
            R"(big: argument 'b' breaks its contract: shape[0] is 4, needs 1000*n, which is beyond 64 bits
  got   int8 (4):(1), cuda:0
  from  not recorded
  when  every call takes 'big', which refuses (declared)
  fix   correct the extents that the expression is computed from
)");
}

TEST(message, device_kind) {
  constexpr static auto host = make_contract("host", arg("x").on(device_kind::cpu));
  EXPECT_EQ(told(host, tensor(types::int32, {5}, {1})),
            R"(host: argument 'x' breaks its contract: it is on cuda:0, needs cpu
  got   int32 (5):(1), cuda:0
  from  not recorded
  when  every call takes 'host', which refuses (declared)
  fix   move it there before capture
)");
}

TEST(message, dense) {
  constexpr static auto dense = make_contract("dense", arg("x").layout(notion::dense));
  EXPECT_EQ(told(dense, tensor(types::int32, {4, 8}, {1, 4})),
            R"(dense: argument 'x' breaks its contract: stride[1] is 4, needs 1 (dense)
  got   int32 (4,8):(1,4), cuda:0
  from  not recorded
  when  every call takes 'dense', which refuses (declared)
  fix   a dense copy made before capture (128 bytes), or a kernel that takes the strides. Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(message, steps_on_different_lines) {
  constexpr static auto dense = make_contract("dense", arg("x").layout(notion::dense));
  EXPECT_EQ(told(dense, tensor_desc::dense("buf", types::int32, {4, 8}, gpu, base)
                            .transpose(0, 1, source_line("a.cpp", 1))
                            .columns(0, 2, source_line("a.cpp", 2))),
            R"(dense: argument 'x' breaks its contract: stride[1] is 8, needs 1 (dense)
  got   int32 (8,2):(1,8), cuda:0
  from  columns [0, 2) (a.cpp:2) of dimensions 0 and 1 swapped (a.cpp:1) of 'buf' (4,8)
  when  every call takes 'dense', which refuses (declared)
  fix   a dense copy made before capture (64 bytes), or a kernel that takes the strides. Not .contiguous(): 64 bytes copied per step, address not the graph's
)");
}

TEST(message, row_pitch_of_unknown_origin) {
  constexpr static auto dense = make_contract("dense", arg("x").layout(notion::dense));
  EXPECT_EQ(told(dense, tensor(types::int32, {4, 8}, {16, 1})),
            R"(dense: argument 'x' breaks its contract: row pitch is 16, needs 8 (dense rows)
  got   int32 (4,8):(16,1), cuda:0
  from  not recorded
  when  every call takes 'dense', which refuses (declared)
  fix   a kernel that takes the row pitch, or a dense copy made before capture (128 bytes). Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(message, row_pitch_of_a_whole_buffer) {
  constexpr static auto dense = make_contract("dense", arg("x").layout(notion::dense));
  EXPECT_EQ(told(dense, tensor_desc::strided("buf", types::int32, {4, 8}, {16, 1}, gpu, base)),
            R"(dense: argument 'x' breaks its contract: row pitch is 16, needs 8 (dense rows)
  got   int32 (4,8):(16,1), cuda:0
  from  'buf' (4,8), whose row pitch is 16
  when  every call takes 'dense', which refuses (declared)
  fix   a kernel that takes the row pitch, or a dense copy made before capture (128 bytes). Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(message, canonical) {
  constexpr static auto can = make_contract("can", arg("x").layout(notion::canonical));
  EXPECT_EQ(
      told(can, tensor(types::int32, {1, 8}, {16, 1})),
      R"(can: argument 'x' breaks its contract: stride[0] is 16, needs 8 (canonical, also where the extent is 1)
  got   int32 (1,8):(16,1), cuda:0
  from  not recorded
  when  every call takes 'can', which refuses (declared)
  fix   rewrite stride[0] to 8: free, it is never used. Not .contiguous(): the tensor is already contiguous and comes back unchanged
)");
}

TEST(message, inner_contiguous) {
  constexpr static auto inner = make_contract("inner", arg("x").layout(notion::inner_contiguous));
  EXPECT_EQ(told(inner, tensor(types::int32, {4, 8}, {1, 4})),
            R"(inner: argument 'x' breaks its contract: stride[1] is 4, needs 1 (unit inner stride)
  got   int32 (4,8):(1,4), cuda:0
  from  not recorded
  when  every call takes 'inner', which refuses (declared)
  fix   a dense copy made before capture (128 bytes), or a kernel that takes the strides. Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(message, row_pitched_outer) {
  constexpr static auto rows = make_contract("rows", arg("x").layout(notion::row_pitched));
  EXPECT_EQ(
      told(rows, tensor(types::int32, {2, 3, 128}, {512, 128, 1})),
      R"(rows: argument 'x' breaks its contract: stride[0] is 512, needs 384 (outer dimensions merge into rows)
  got   int32 (2,3,128):(512,128,1), cuda:0
  from  not recorded
  when  every call takes 'rows', which refuses (declared)
  fix   a dense copy made before capture (3,072 bytes), or a kernel that takes the strides. Not .contiguous(): 3,072 bytes copied per step, address not the graph's
)");
}

TEST(message, row_overlap) {
  constexpr static auto rows = make_contract("rows", arg("x").layout(notion::row_pitched));
  EXPECT_EQ(
      told(rows, tensor(types::int32, {4, 8}, {4, 1})),
      R"(rows: argument 'x' breaks its contract: row pitch is 4, needs at least 8 (rows must not overlap)
  got   int32 (4,8):(4,1), cuda:0
  from  not recorded
  when  every call takes 'rows', which refuses (declared)
  fix   a dense copy made before capture (128 bytes), or a kernel that takes the strides. Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(message, permutation_dense) {
  constexpr static auto perm = make_contract("perm", arg("x").layout(notion::permutation_dense));
  EXPECT_EQ(
      told(perm, tensor(types::int32, {4, 8}, {16, 1})),
      R"(perm: argument 'x' breaks its contract: 32 elements span 56 (dense in no order of the dimensions)
  got   int32 (4,8):(16,1), cuda:0
  from  not recorded
  when  every call takes 'perm', which refuses (declared)
  fix   a dense copy made before capture (128 bytes), or a kernel that takes the strides. Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(message, suffix) {
  constexpr static auto suf = make_contract("suf", arg("x").suffix_dense(2));
  EXPECT_EQ(told(suf, tensor(types::int32, {2, 4, 8}, {64, 16, 1})),
            R"(suf: argument 'x' breaks its contract: stride[1] is 16, needs 8 (dense inner dimensions)
  got   int32 (2,4,8):(64,16,1), cuda:0
  from  not recorded
  when  every call takes 'suf', which refuses (declared)
  fix   a dense copy made before capture (256 bytes), or a kernel that takes the strides. Not .contiguous(): 256 bytes copied per step, address not the graph's
)");
}

TEST(message, suffix_rank) {
  constexpr static auto suf = make_contract("suf", arg("x").suffix_dense(2));
  EXPECT_EQ(told(suf, tensor(types::int32, {8}, {1})),
            R"(suf: argument 'x' breaks its contract: rank is 1, needs at least 2
  got   int32 (8):(1), cuda:0
  from  not recorded
  when  every call takes 'suf', which refuses (declared)
  fix   add dimension 0, of extent 1: (1,8), a view, free
)");
}

TEST(message, collapsible) {
  constexpr static auto col = make_contract("col", arg("x").collapsible(0, 1));
  EXPECT_EQ(told(col, tensor(types::int32, {2, 4, 8}, {128, 16, 1})),
            R"(col: argument 'x' breaks its contract: stride[0] is 128, needs 64 (dimensions merge)
  got   int32 (2,4,8):(128,16,1), cuda:0
  from  not recorded
  when  every call takes 'col', which refuses (declared)
  fix   a dense copy made before capture (256 bytes), or a kernel that takes the strides. Not .contiguous(): 256 bytes copied per step, address not the graph's
)");
}

TEST(message, overlap0) {
  constexpr static auto out = make_contract("out", arg("x").output());
  EXPECT_EQ(
      told(out, tensor(types::int32, {4, 8}, {0, 1})),
      R"(out: argument 'x' breaks its contract: stride[0] is 0, so its elements share addresses (the kernel writes them)
  got   int32 (4,8):(0,1), cuda:0
  from  not recorded
  when  every call takes 'out', which refuses (declared)
  fix   a dense tensor of its own (128 bytes)
)");
}

TEST(message, overlap) {
  constexpr static auto out = make_contract("out", arg("x").output());
  EXPECT_EQ(told(out, tensor(types::int32, {4, 8}, {4, 1})),
            R"(out: argument 'x' breaks its contract: its elements share addresses (the kernel writes them)
  got   int32 (4,8):(4,1), cuda:0
  from  not recorded
  when  every call takes 'out', which refuses (declared)
  fix   a dense tensor of its own (128 bytes)
)");
}

TEST(message, overlap_unknown) {
  constexpr static auto out = make_contract("out", arg("x").output());
  EXPECT_EQ(
      told(out, tensor(types::int32, {2, 3}, {3, 2})),
      R"(out: argument 'x' breaks its contract: that no two of its elements share an address cannot be proved (the kernel writes them)
  got   int32 (2,3):(3,2), cuda:0
  from  not recorded
  when  every call takes 'out', which refuses (declared)
  fix   a dense tensor of its own (24 bytes)
)");
}

TEST(message, aligned) {
  constexpr static auto al = make_contract("al", arg("x").aligned(16));
  EXPECT_EQ(
      told(al, tensor_desc::dense("buf", types::float16, {8}, gpu, base).slice(0, 1, 8)),
      R"(al: argument 'x' breaks its contract: address is 2 bytes past a multiple of 16 (data 0, byte offset 2)
  got   float16 (7):(1), cuda:0
  from  rows [1, 8) of 'buf' (8)
  when  every call takes 'al', which refuses (declared)
  fix   start the view, and its buffer, at multiples of 16 bytes, or an aligned copy made before capture (14 bytes). Not .contiguous(): the tensor is already contiguous and comes back unchanged
)");
}

TEST(message, aligned_opaque) {
  constexpr static auto al = make_contract("al", arg("x").aligned(16));
  EXPECT_EQ(
      told(al, tensor_desc::dense("buf", types::float16, {8}, {device_kind::vulkan, 0}, base).slice(0, 1, 8)),
      R"(al: argument 'x' breaks its contract: byte offset 2 is 2 bytes past a multiple of 16
  got   float16 (7):(1), vulkan:0
  from  rows [1, 8) of 'buf' (8)
  when  every call takes 'al', which refuses (declared)
  fix   start the view, and its buffer, at multiples of 16 bytes, or an aligned copy made before capture (14 bytes). Not .contiguous(): the tensor is already contiguous and comes back unchanged
)");
}

TEST(message, aligned_rows) {
  constexpr static auto ar = make_contract("ar", arg("x").aligned_rows(16));
  EXPECT_EQ(told(ar, tensor(types::uint8, {8, 4096}, {4100, 1})),
            R"(ar: argument 'x' breaks its contract: row pitch is 4,100 bytes, needs a multiple of 16
  got   uint8 (8,4096):(4100,1), cuda:0
  from  not recorded
  when  every call takes 'ar', which refuses (declared)
  fix   a dense copy made before capture (32,768 bytes)
)");
}

TEST(message, index_bits) {
  constexpr static auto ib = make_contract("ib", arg("x").index_bits(32));
  EXPECT_EQ(
      told(ib, tensor(types::uint8, {8, 4096}, {index_t{1} << 30, 1})),
      R"(ib: argument 'x' breaks its contract: its offsets span 7,516,196,863 elements, too far for 32-bit indices
  got   uint8 (8,4096):(1073741824,1), cuda:0
  from  not recorded
  when  every call takes 'ib', which refuses (declared)
  fix   split the call, or a kernel with 64-bit indices, or a dense copy made before capture (32,768 bytes)
)");
}

TEST(message, packed) {
  constexpr static auto fp4 = make_contract("fp4", arg("x"));
  EXPECT_EQ(
      told(fp4, tensor(types::int4, {8, 4}, {1, 8})),
      R"(fp4: argument 'x' breaks its contract: stride[1] is 8, needs 1 (4-bit values are packed along it)
  got   int4 (8,4):(1,8), cuda:0
  from  not recorded
  when  every call takes 'fp4', which refuses (declared)
  fix   pack the values along the last dimension
)");
}

TEST(message, guard) {
  constexpr static auto g =
      make_contract("g", arg("x").shape(any, sym("k"))).needs(divisible(sym("k"), 16), checked_at("g.cu:3"));
  EXPECT_EQ(told(g, tensor(types::int32, {2, 24}, {24, 1})), R"(g: needs k % 16 == 0, but k = 24
  got   k = 24 (x.shape[1])
  from  the extents of its arguments
  when  every call takes 'g', which refuses (checked, g.cu:3)
  fix   choose sizes that satisfy it
)");
}

TEST(message, no_kernel) {
  constexpr static auto none =
      make_contract("prefill too small", arg("x").shape(sym("T"), any)).when(sym("T") < 8).refuses();
  constexpr static auto some = make_contract("big_t", arg("x").shape(sym("T"), sym("W")))
                                   .when(sym("T") > 8)
                                   .when(one_of({sym("T"), sym("W")}, pairs))
                                   .when(is_present("x"))
                                   .when(on_capability(12, 0));
  constexpr static auto d1 = make_dispatch("d1", none, some);
  EXPECT_EQ(told(d1, tensor(types::int32, {2, 24}, {24, 1})), R"(d1: there is no kernel for this case
  got   T = 2 (x.shape[0])
  from  the extents of its arguments
  when  T = 2 < 8 is refused by design (prefill too small);
        'big_t' (T > 8 and (T, W) in {(64,512), (128,512)} and 'x' is present and capability 12.0) would accept it
  fix   'big_t' accepts only calls where T > 8 and (T, W) in {(64,512), (128,512)} and capability 12.0; else add a kernel and its contract
)");
}

TEST(message, uncovered) {
  constexpr static auto none =
      make_contract("prefill too small", arg("x").shape(sym("T"), any)).when(sym("T") < 8).refuses();
  constexpr static auto some = make_contract("big_t", arg("x").shape(sym("T"), sym("W")))
                                   .when(sym("T") > 8)
                                   .when(one_of({sym("T"), sym("W")}, pairs))
                                   .when(is_present("x"))
                                   .when(on_capability(12, 0));
  constexpr static auto d1 = make_dispatch("d1", none, some);
  EXPECT_EQ(told(d1, tensor(types::int32, {8, 24}, {24, 1})),
            R"(d1: no branch of its contract covers this case
  got   T = 8 (x.shape[0]), W = 24 (x.shape[1])
  from  the extents of its arguments
  when  'prefill too small' takes T < 8;
        'big_t' takes T > 8 and (T, W) in {(64,512), (128,512)} and 'x' is present and capability 12.0
  fix   'big_t' accepts only calls where T > 8 and (T, W) in {(64,512), (128,512)} and capability 12.0; else add a kernel and its contract
)");
}

TEST(message, undecided) {
  constexpr static auto none =
      make_contract("prefill too small", arg("x").shape(sym("T"), any)).when(sym("T") < 8).refuses();
  constexpr static auto some = make_contract("big_t", arg("x").shape(sym("T"), sym("W")))
                                   .when(sym("T") > 8)
                                   .when(one_of({sym("T"), sym("W")}, pairs))
                                   .when(is_present("x"))
                                   .when(on_capability(12, 0));
  constexpr static auto d1 = make_dispatch("d1", none, some);
  EXPECT_EQ(told(d1, tensor(types::int32, {64, 512}, {512, 1})),
            R"(d1: whether branch 'big_t' applies is not known: capability 12.0
  got   T = 64 (x.shape[0]), W = 512 (x.shape[1])
  from  the extents of its arguments
  when  'prefill too small' takes T < 8;
        'big_t' takes T > 8 and (T, W) in {(64,512), (128,512)} and 'x' is present and capability 12.0
  fix   pass the missing value in the evaluation context
)");
}

TEST(message, uncovered_for_a_capability) {
  constexpr static auto none =
      make_contract("prefill too small", arg("x").shape(sym("T"), any)).when(sym("T") < 8).refuses();
  constexpr static auto some = make_contract("big_t", arg("x").shape(sym("T"), sym("W")))
                                   .when(sym("T") > 8)
                                   .when(one_of({sym("T"), sym("W")}, pairs))
                                   .when(is_present("x"))
                                   .when(on_capability(12, 0));
  constexpr static auto d1 = make_dispatch("d1", none, some);
  const scoped_capability pretend({10, 0});
  EXPECT_EQ(told(d1, tensor(types::int32, {64, 512}, {512, 1})),
            R"(d1: no branch of its contract covers this case
  got   T = 64 (x.shape[0]), W = 512 (x.shape[1])
  from  the extents of its arguments
  when  'prefill too small' takes T < 8;
        'big_t' takes T > 8 and (T, W) in {(64,512), (128,512)} and 'x' is present and capability 12.0
  fix   'big_t' accepts the call as it is where capability 12.0; else add a kernel and its contract
)");
}

TEST(message, no_kernel_otherwise) {
  constexpr static auto some = make_contract("big_t", arg("x").shape(sym("T"), sym("W")))
                                   .when(sym("T") > 8)
                                   .when(one_of({sym("T"), sym("W")}, pairs))
                                   .when(is_present("x"))
                                   .when(on_capability(12, 0));
  constexpr static auto none =
      make_contract("prefill too small", arg("x").shape(sym("T"), any)).when(sym("T") < 8).refuses();
  constexpr static auto d2 = make_dispatch("d2", some, none).otherwise_refused();
  const scoped_capability pretend({10, 0});
  EXPECT_EQ(told(d2, tensor(types::int32, {64, 512}, {512, 1})), R"(d2: there is no kernel for this case
  got   T = 64 (x.shape[0]), W = 512 (x.shape[1])
  from  the extents of its arguments
  when  no other branch applies, refused by design (no kernel);
        'big_t' (T > 8 and (T, W) in {(64,512), (128,512)} and 'x' is present and capability 12.0) would accept it
  fix   'big_t' accepts the call as it is where capability 12.0; else add a kernel and its contract
)");
}

TEST(message, ambiguous) {
  constexpr static auto all = make_contract("all", arg("x"));
  constexpr static auto none =
      make_contract("prefill too small", arg("x").shape(sym("T"), any)).when(sym("T") < 8).refuses();
  constexpr static auto d3 = make_dispatch("d3", all, none);
  EXPECT_EQ(told(d3, tensor(types::int32, {2, 24}, {24, 1})),
            R"(d3: branches 'all' and 'prefill too small' both claim this case
  got   T = 2 (x.shape[0])
  from  the extents of its arguments
  when  'all' takes every call;
        'prefill too small' takes T < 8
  fix   make the conditions of the two branches exclude each other
)");
}

TEST(message, parameter_sets) {
  constexpr static auto tuned = make_dispatch("tuned", decode, paged)
                                    .with(library_parameter("decode_max_tokens", {8, 24, 64}, "flashinfer",
                                                            "0.6.18", "_sparse_mla_sm120.py:74"));
  EXPECT_EQ(told(tuned, tensor_desc::dense("q", types::bfloat16, {16, 64, 512}, gpu, base), narrowed(16)),
            R"(tuned: argument 'extra_indices' breaks its contract: row pitch is 1024, needs 256 (dense rows)
  got   int32 (16,256):(1024,1), cuda:0
  from  columns [0, 256) of 'c128a_decode' (512,1024) (engine/metadata.cpp:88) keep its row pitch of 1024
  when  T = 16 <= decode_max_tokens = 24 (flashinfer 0.6.18, _sparse_mla_sm120.py:74) takes 'decode', which does not check: rows from 1 on are wrong (the worst of the values of its parameters);
        'paged' (T > 24) refuses too (checked, sparse_mla.cu:225)
  fix   full rows, c128a_decode.rows(0, 16): dense, readers are bounded by extra_topk_length; scans 1024 columns, scratch x4
        or a kernel that takes the row pitch. Not .contiguous(): 16,384 bytes copied per step, address not the graph's
)");
}

TEST(message, read_only) {
  constexpr static auto out = make_contract("out", arg("x").output());
  const index_t four[] = {4};
  tensor_ref x{base, types::int32, 1, gpu, four, nullptr};
  x.read_only = tri::yes;
  EXPECT_EQ(told(out, tensor_desc::copy_of(x)),
            R"(out: argument 'x' breaks its contract: it is read-only, and the kernel writes it
  got   int32 (4):(1), cuda:0
  from  not recorded
  when  every call takes 'out', which refuses (declared)
  fix   pass a writable tensor
)");
}

TEST(message, calls_that_are_malformed) {
  constexpr static auto out = make_contract("out", arg("x").output());
  const index_t four[] = {4};
  const argument_value nine[] = {argument_value(tensor_ref{base, types::int32, 9, gpu, four, nullptr})};
  EXPECT_EQ(text(evaluate(out.view(), nine, 1)),
            R"(out: argument 'x' breaks its contract: rank is 9, needs 0 to 8
  got   rank 9
  from  not recorded
  when  every call takes 'out', which refuses (declared)
  fix   pass a description of rank 0 to 8 with its extents
)");
  const argument_value nothing[] = {argument_value()};
  EXPECT_EQ(text(evaluate(out.view(), nothing, 1)),
            R"(out: argument 'x' breaks its contract: it is absent, but required
  got   nothing
  from  not recorded
  when  every call takes 'out', which refuses (declared)
  fix   pass it, or declare it optional
)");
  EXPECT_EQ(text(evaluate(out.view(), nothing, 0)), R"(out: it was given 0 arguments, needs 1
  got   0 arguments
  from  the call
  when  always
  fix   pass every argument of the contract, absent optional ones included
)");
}

TEST(message, views_that_could_not_be_cut) {
  constexpr static auto out = make_contract("out", arg("x").output());
  const auto message = [](const tensor_desc& x) {
    const argument_value values[] = {argument_value(x.ref())};
    return text(evaluate(out.view(), values, 1));
  };
  const tensor_desc buffer = tensor_desc::dense("buffer", types::int32, {512, 1024}, gpu, base);
  const source_line line("engine.cpp", 88);
  EXPECT_EQ(message(buffer.columns(0, 256).rows(0, 600, line).columns(0, 8)),
            R"(out: argument 'x' breaks its contract: it could not be made: rows [0, 600) of 512
  got   no view
  from  rows [0, 600) (engine.cpp:88) of columns [0, 256) of 'buffer' (512,1024)
  when  every call takes 'out', which refuses (declared)
  fix   cut it within the buffer, or allocate a larger one
)");
  const auto headline = [&](const tensor_desc& x) {
    const std::string whole = message(x);
    return whole.substr(0, whole.find('\n'))
        .substr(std::string("out: argument 'x' breaks its contract: ").size());
  };
  EXPECT_EQ(headline(buffer.slice(2, 0, 1)), "it could not be made: [0, 1) of dimension 2 of rank 2");
  EXPECT_EQ(headline(buffer.select(0, 512)), "it could not be made: index 512 of dimension 0 of 512");
  EXPECT_EQ(headline(buffer.transpose(0, 2)), "it could not be made: dimensions 0 and 2 swapped of rank 2");
  EXPECT_EQ(headline(buffer.activated(0, -1)),
            "it could not be made: active extent -1 of dimension 0 of 512");
  EXPECT_EQ(
      headline(tensor_desc::dense("x", types::int4, {4, 3}, gpu, base).rows(1, 2)),
      "it could not be made: rows [1, 2), whose offset or stride is beyond 64 bits or between two bytes");
  EXPECT_EQ(headline(tensor_desc::strided("x", types::int32, {4, 3}, {3}, gpu, base)),
            "it could not be made: its sizes are beyond 64 bits, or not one stride for each of at most 8 "
            "dimensions");
  EXPECT_EQ(headline(buffer.rows(0, 512).columns(0, 1025)),
            "it could not be made: columns [0, 1025) of 1024");
}

TEST(message, stable) {
  constexpr static auto st = make_contract("st", arg("x").stable());
  const tensor_desc x = tensor(types::int32, {4}, {1});
  const argument_value values[] = {argument_value(x.ref())};
  evaluation_context context;
  context.is_stable = [](const tensor_ref&, void*) noexcept { return tri::no; };
  EXPECT_EQ(text(evaluate(st.view(), values, 1, context)),
            R"(st: argument 'x' breaks its contract: it is not inside a registered persistent buffer
  got   int32 (4):(1), cuda:0
  from  not recorded
  when  every call takes 'st', which refuses (declared)
  fix   pass a view of a persistent buffer, refreshed in place
)");
}

TEST(message, the_notation_of_a_description) {
  EXPECT_EQ(text(tensor_desc::dense("x", types::float32.vector(4), {2, 3}, gpu)),
            "float32x4 (2,3):(3,1), cuda:0");
  EXPECT_EQ(text(tensor_desc::dense("x", types::uint8.meaning(tag::scale_e8m0), {}, {})),
            "uint8 as scale_e8m0 ():()");
}

TEST(message, a_call_that_is_fine) {
  EXPECT_EQ(text(report()), "ok");
}

TEST(message, writing_into_a_small_buffer_cuts_and_returns_the_whole_length) {
  const argument_value nothing[] = {argument_value()};
  constexpr static auto out = make_contract("out", arg("x"));
  const report r = evaluate(out.view(), nothing, 1);
  char small[8];
  const std::size_t whole = write_text(r, small, sizeof small);
  EXPECT_EQ(std::string(small), "out: ar");
  EXPECT_EQ(whole, text(r).size());
  EXPECT_EQ(write_text(r, nullptr, 0), whole);
}

// ---- memory shared with another argument --------------------------------------------------------------------------

const tensor_desc shared_buffer = tensor_desc::dense("hidden", types::float16, {8, 64}, gpu, base);

TEST(message, shared_memory) {
  constexpr static auto apart =
      make_contract("apart", arg("x"), arg("out").output().disjoint_from("x", checked_at("k.cu:3")));
  EXPECT_EQ(
      told(apart, shared_buffer.rows(0, 4), shared_buffer.rows(3, 7)),
      R"(apart: argument 'out' breaks its contract: it shares memory with 'x', which starts 384 bytes before it
  got   float16 (4,64):(64,1), cuda:0
  from  rows [3, 7) of 'hidden' (8,64)
  when  every call takes 'apart', which refuses (checked, k.cu:3)
  fix   memory of its own (512 bytes)
)");
}

TEST(message, shared_memory_in_place) {
  constexpr static auto in_place =
      make_contract("in_place", arg("x"), arg("out").same_view_or_disjoint("x", unchecked()));
  EXPECT_EQ(
      told(in_place, shared_buffer.rows(0, 4), shared_buffer.rows(1, 5)),
      R"(in_place: argument 'out' breaks its contract: it shares memory with 'x', which starts 128 bytes before it
  got   float16 (4,64):(64,1), cuda:0
  from  rows [1, 5) of 'hidden' (8,64)
  when  every call takes 'in_place', which does not check: elements are wrong
  fix   pass the view of 'x' itself, in place, or memory of its own (512 bytes)
)");
}

TEST(message, shared_memory_unknown) {
  constexpr static auto apart = make_contract("apart", arg("x"), arg("out").disjoint_from("x"));
  const device opaque{device_kind::vulkan, 0};
  EXPECT_EQ(told(apart, anonymous(tensor_desc::dense("x", types::int8, {4}, opaque, memory)),
                 anonymous(tensor_desc::dense("y", types::int8, {4}, opaque, memory + 1))),
            R"(apart: argument 'out' breaks its contract: that it shares no memory with 'x' cannot be proved
  got   int8 (4):(1), vulkan:0
  from  not recorded
  when  every call takes 'apart', which refuses (declared)
  fix   give one of them memory of its own
)");
}

TEST(message, other_memory) {
  constexpr static auto residual = make_contract("residual", arg("x"), arg("out").same_memory_as("x"));
  EXPECT_EQ(told(residual, shared_buffer.rows(0, 4), shared_buffer.rows(4, 8)),
            R"(residual: argument 'out' breaks its contract: it is not the memory of 'x', and must be
  got   float16 (4,64):(64,1), cuda:0
  from  rows [4, 8) of 'hidden' (8,64)
  when  every call takes 'residual', which refuses (declared)
  fix   pass the view of 'x' itself
)");
}

TEST(message, other_memory_unknown) {
  constexpr static auto residual = make_contract("residual", arg("x"), arg("out").same_memory_as("x"));
  EXPECT_EQ(told(residual, tensor(types::int8, {2, 2}, {5, 2}), tensor(types::int8, {2, 2}, {4, 3})),
            R"(residual: argument 'out' breaks its contract: that it is the memory of 'x' cannot be proved
  got   int8 (2,2):(4,3), cuda:0
  from  not recorded
  when  every call takes 'residual', which refuses (declared)
  fix   pass the view of 'x' itself
)");
}

// ---- tensor maps ---------------------------------------------------------------------------------------------------

constexpr descriptor_rule plain_rule{};
constexpr descriptor_rule boxed_rule = [] {
  descriptor_rule r;
  r.has_box = true;
  r.box[0] = 4, r.box[1] = 128;
  r.element_strides[0] = r.element_strides[1] = 1;
  r.swizzled = swizzle::bytes_128;
  return r;
}();
constexpr auto tma = make_contract("tma", arg("x").descriptor_legal(plain_rule, checked_at("tma.cu:9")));

TEST(message, descriptor_size_one_stride) {
  EXPECT_EQ(
      told(tma, tensor(types::float16, {8, 1, 128}, {128, 1, 1})),
      R"(tma: argument 'x' breaks its contract: stride[1] is 2 bytes, needs a multiple of 16 (tensor map)
  got   float16 (8,1,128):(128,1,1), cuda:0
  from  not recorded
  when  every call takes 'tma', which refuses (checked, tma.cu:9)
  fix   rewrite stride[1] to 128: free, it is never used. Not .contiguous(): the tensor is already contiguous and comes back unchanged
)");
}

TEST(message, descriptor_size_one_stride_beside_pitched_rows) {
  EXPECT_EQ(
      told(tma, tensor(types::float16, {1, 8, 128}, {3, 256, 1})),
      R"(tma: argument 'x' breaks its contract: stride[0] is 6 bytes, needs a multiple of 16 (tensor map)
  got   float16 (1,8,128):(3,256,1), cuda:0
  from  not recorded
  when  every call takes 'tma', which refuses (checked, tma.cu:9)
  fix   rewrite stride[0] to 2048: free, it is never used. Not .contiguous(): 2,048 bytes copied per step, address not the graph's
)");
}

TEST(message, descriptor_pitch) {
  EXPECT_EQ(
      told(tma, tensor(types::uint8, {8, 4100}, {4100, 1})),
      R"(tma: argument 'x' breaks its contract: stride[0] is 4,100 bytes, needs a multiple of 16 (tensor map)
  got   uint8 (8,4100):(4100,1), cuda:0
  from  not recorded
  when  every call takes 'tma', which refuses (checked, tma.cu:9)
  fix   pad the rows of its buffer to 4,112 bytes, or a copy so padded made before capture (32,896 bytes)
)");
}

TEST(message, descriptor_address) {
  EXPECT_EQ(told(tma, anonymous(tensor_desc::dense("x", types::float16, {8, 128}, gpu, memory + 2))),
            R"(tma: argument 'x' breaks its contract: address is 2 bytes past a multiple of 16 (tensor map)
  got   float16 (8,128):(128,1), cuda:0
  from  not recorded
  when  every call takes 'tma', which refuses (checked, tma.cu:9)
  fix   a dense copy made before capture (2,048 bytes)
)");
}

TEST(message, descriptor_empty) {
  EXPECT_EQ(told(tma, tensor(types::float16, {0, 128}, {128, 1})),
            R"(tma: argument 'x' breaks its contract: shape[0] is 0, needs at least 1 (tensor map)
  got   float16 (0,128):(128,1), cuda:0
  from  not recorded
  when  every call takes 'tma', which refuses (checked, tma.cu:9)
  fix   a kernel that reads it without a tensor map
)");
}

TEST(message, descriptor_inner_stride) {
  EXPECT_EQ(told(tma, tensor(types::float16, {8, 64}, {128, 2})),
            R"(tma: argument 'x' breaks its contract: stride[1] is 2, needs 1 (tensor map)
  got   float16 (8,64):(128,2), cuda:0
  from  not recorded
  when  every call takes 'tma', which refuses (checked, tma.cu:9)
  fix   a dense copy made before capture (1,024 bytes)
)");
}

TEST(message, descriptor_box) {
  constexpr static auto boxed = make_contract("boxed", arg("x").descriptor_legal(boxed_rule));
  EXPECT_EQ(
      told(boxed, tensor(types::float16, {8, 256}, {256, 1})),
      R"(boxed: argument 'x' breaks its contract: box[1] is 256 bytes, needs at most 128, the swizzle (tensor map)
  got   float16 (8,256):(256,1), cuda:0
  from  not recorded
  when  every call takes 'boxed', which refuses (declared)
  fix   a kernel that reads it without a tensor map
)");
}

// ---- valid extent --------------------------------------------------------------------------------------------------

const tensor_desc wide_indices = tensor_desc::dense("indices", types::int32, {8, 16}, gpu, base);

TEST(message, active_extent) {
  constexpr static auto reader = make_contract("reader", arg("i").bounded_outside("lengths"));
  EXPECT_EQ(told(reader, wide_indices.activated_columns(17)),
            R"(reader: argument 'i' breaks its contract: active[1] is 17, needs at most 16
  got   int32 (8,16):(16,1), cuda:0, active (8,17)
  from  'indices' (8,16)
  when  every call takes 'reader', which refuses (declared)
  fix   activate no more than the view has, or pass and capture a wider one
)");
}

TEST(message, reads_beyond) {
  constexpr static auto tiled =
      make_contract("tiled", arg("i").up_to_tile(3, stale_policy::ignored, unchecked("t.cu:5")));
  EXPECT_EQ(told(tiled, wide_indices.columns(0, 5)),
            R"(tiled: argument 'i' breaks its contract: the kernel reads 6 columns of each row, the view has 5
  got   int32 (8,5):(16,1), cuda:0
  from  columns [0, 5) of 'indices' (8,16)
  when  every call takes 'tiled', which does not check: elements are wrong
  fix   a view of at least 6 columns, or a kernel that stops at per-row lengths
)");
}

TEST(message, stale_read) {
  constexpr static auto whole = make_contract("whole", arg("i").whole_row());
  EXPECT_EQ(
      told(whole, wide_indices.activated_columns(4)),
      R"(whole: argument 'i' breaks its contract: the kernel reads 16 columns, 4 hold this step's data; what the rest holds is not known
  got   int32 (8,16):(16,1), cuda:0, active (8,4)
  from  'indices' (8,16)
  when  every call takes 'whole', which refuses (declared)
  fix   pass only what holds data, (8,4); a captured graph keeps that size, or a kernel that stops at per-row lengths
)");
}

TEST(message, stale_read_under_the_sentinel_policy) {
  constexpr static auto cleared =
      make_contract("cleared", arg("i").whole_row(stale_policy::must_be_cleared, unchecked()));
  EXPECT_EQ(
      told(cleared, wide_indices.cleared().activated_columns(16).activated_columns(4)),
      R"(cleared: argument 'i' breaks its contract: the kernel reads 16 columns, 4 hold this step's data; the rest is an earlier step's, needs the sentinel
  got   int32 (8,16):(16,1), cuda:0, active (8,4)
  from  'indices' (8,16)
  when  every call takes 'cleared', which does not check: elements are wrong
  fix   fill the rest with the sentinel whenever a step is smaller than the last, or pass only what holds data, (8,4); a captured graph keeps that size, or a kernel that stops at per-row lengths
)");
}

TEST(message, stale_read_of_the_sentinel_as_an_index) {
  constexpr static auto gathers =
      make_contract("gathers", arg("i").up_to_tile(8, stale_policy::any_valid_value));
  EXPECT_EQ(
      told(gathers, wide_indices.cleared().activated_columns(5)),
      R"(gathers: argument 'i' breaks its contract: the kernel reads 8 columns, 5 hold this step's data; the rest holds the sentinel, needs valid values
  got   int32 (8,16):(16,1), cuda:0, active (8,5)
  from  'indices' (8,16)
  when  every call takes 'gathers', which refuses (declared)
  fix   a kernel that stops at per-row lengths
)");
}

TEST(message, stale_rows) {
  constexpr static auto whole = make_contract("whole", arg("i").whole_row());
  EXPECT_EQ(
      told(whole, wide_indices.activated(0, 6)),
      R"(whole: argument 'i' breaks its contract: the kernel reads 8 indices of dimension 0, 6 hold this step's data; what the rest holds is not known
  got   int32 (8,16):(16,1), cuda:0, active (6,16)
  from  'indices' (8,16)
  when  every call takes 'whole', which refuses (declared)
  fix   pass only what holds data, (6,16); a captured graph keeps that size, or a kernel that stops at per-row lengths
)");
}

// ---- repairs are offered only if they cure --------------------------------------------------------------------------

constexpr auto bounded_reader = make_contract(
    "bounded_reader", arg("i").shape(sym("T"), sym("W")).layout(notion::dense).bounded("lengths"),
    arg("lengths").optional().shape(sym("T")));

std::string told_with(const tensor_desc& indices, const tensor_desc* lengths) {
  const argument_value values[] = {argument_value(indices.ref()),
                                   lengths != nullptr ? argument_value(lengths->ref()) : argument_value()};
  return text(evaluate(bounded_reader.view(), values, 2));
}
std::string fix_of(const std::string& message) {
  const std::size_t at = message.find("\n  fix   ");
  return at == std::string::npos ? message : message.substr(at + 9);
}

TEST(repair, full_rows_only_while_the_lengths_are_there) {
  const tensor_desc lengths = tensor_desc::dense("lengths", types::int32, {8}, gpu, base);
  EXPECT_EQ(fix_of(told_with(wide_indices.columns(0, 4), &lengths)),
            R"(full rows, indices.rows(0, 8): dense, readers are bounded by lengths; scans 16 columns
        or a kernel that takes the row pitch. Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
  EXPECT_EQ(
      fix_of(told_with(wide_indices.columns(0, 4), nullptr)),
      R"(a kernel that takes the row pitch, or a dense copy made before capture (128 bytes). Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(repair, full_rows_only_from_the_first_column) {
  const tensor_desc lengths = tensor_desc::dense("lengths", types::int32, {8}, gpu, base);
  EXPECT_EQ(
      fix_of(told_with(wide_indices.columns(4, 8), &lengths)),
      R"(a kernel that takes the row pitch, or a dense copy made before capture (128 bytes). Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(repair, full_rows_only_if_the_contract_accepts_their_width) {
  constexpr static auto narrow_only = make_contract(
      "narrow_only", arg("i").shape(sym("T"), 4).layout(notion::dense).bounded_outside("lengths"));
  EXPECT_EQ(
      fix_of(told(narrow_only, wide_indices.columns(0, 4))),
      R"(a kernel that takes the row pitch, or a dense copy made before capture (128 bytes). Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(repair, full_rows_of_a_chain) {
  constexpr static auto cube =
      make_contract("cube", arg("i").layout(notion::dense).bounded_outside("lengths"));
  const tensor_desc layers = tensor_desc::dense("layers", types::int32, {4, 8, 16}, gpu, base);
  EXPECT_EQ(told(cube, layers.select(0, 2, source_line("a.cpp", 1))
                           .rows(2, 6, source_line("a.cpp", 2))
                           .columns(0, 4, source_line("a.cpp", 3))),
            R"(cube: argument 'i' breaks its contract: row pitch is 16, needs 4 (dense rows)
  got   int32 (4,4):(16,1), cuda:0
  from  columns [0, 4) of 'layers' (4,8,16) (a.cpp:3) keep its row pitch of 16
  when  every call takes 'cube', which refuses (declared)
  fix   full rows, layers.select(0, 2).rows(2, 6): dense, readers are bounded by lengths; scans 16 columns
        or a kernel that takes the row pitch. Not .contiguous(): 64 bytes copied per step, address not the graph's
)");
}

TEST(message, a_sum_in_front_of_a_remainder_is_in_parentheses) {
  constexpr static auto odd =
      make_contract("odd", arg("x").shape(sym("W"))).needs(divisible(sym("W") - 1, 3));
  constexpr static auto d = make_dispatch("odd", odd);
  const std::string message = told(d, tensor(types::int32, {5}, {1}));
  EXPECT_NE(message.find("needs (W-1) % 3 == 0, but W = 5"), std::string::npos) << message;
}

TEST(repair, a_branch_that_accepts_the_call_is_named_with_what_is_in_its_way) {
  constexpr static auto dense_only =
      make_contract("dense_only", arg("x").shape(sym("T"), any).layout(notion::dense)).when(sym("T") > 64);
  constexpr static auto by_pitch =
      make_contract("by_pitch", arg("x").shape(sym("T"), any).layout(notion::row_pitched))
          .when(sym("T") <= 64);
  constexpr static auto both = make_dispatch("both", dense_only, by_pitch);
  EXPECT_EQ(told(both, tensor(types::int32, {66, 8}, {16, 1})),
            R"(both: argument 'x' breaks its contract: row pitch is 16, needs 8 (dense rows)
  got   int32 (66,8):(16,1), cuda:0
  from  not recorded
  when  T = 66 > 64 takes 'dense_only', which refuses (declared);
        'by_pitch' (T <= 64) would accept it
  fix   'by_pitch' accepts only calls where T <= 64, or a dense copy made before capture (2,112 bytes). Not .contiguous(): 2,112 bytes copied per step, address not the graph's
)");
}

TEST(repair, a_copy_that_would_break_another_fact_is_not_offered) {
  constexpr static auto exact =
      make_contract("exact", arg("x").shape(any, any).strides(16, 1).layout(notion::inner_contiguous));
  EXPECT_EQ(fix_of(told(exact, tensor(types::int32, {4, 8}, {8, 1}))),
            R"(pass a tensor of the declared strides
)");
}

TEST(repair, no_copy_is_offered_where_the_memory_must_be_persistent) {
  constexpr static auto persistent = make_contract("persistent", arg("x").layout(notion::dense).stable());
  EXPECT_EQ(
      fix_of(told(persistent, tensor(types::int32, {4, 8}, {16, 1}))),
      R"(a kernel that takes the row pitch. Not .contiguous(): 128 bytes copied per step, address not the graph's
)");
}

TEST(repair, a_rank_is_not_always_cured_by_a_dimension_of_extent_one) {
  constexpr static auto matrix = make_contract("matrix", arg("x").shape(sym("T"), 8));
  EXPECT_EQ(fix_of(told(matrix, tensor(types::int32, {4, 1, 8}, {8, 8, 1}))),
            R"(drop dimension 1, of extent 1: (4,8), a view, free
)");
  EXPECT_EQ(fix_of(told(matrix, tensor(types::int32, {4, 2, 8}, {16, 8, 1}))),
            R"(a view of that rank; adding or dropping dimensions of extent 1 alone does not cure it
)");
}

TEST(repair, without_data_and_under_given_parameters) {
  const parameter_value given[] = {{"decode_max_tokens", 8}};
  evaluation_context context;
  context.parameters = given;
  context.parameter_count = 1;
  const tensor_desc q = tensor_desc::dense("q", types::bfloat16, {16, 64, 512}, gpu, base);
  const tensor_desc indices = narrowed(16);
  const argument_value values[] = {argument_value(q.ref()), argument_value(indices.ref())};
  EXPECT_EQ(
      text(evaluate(sparse_mla.view(), values, 2, context)),
      R"(sparse_mla: argument 'extra_indices' breaks its contract: row pitch is 1024, needs 256 (dense rows)
  got   int32 (16,256):(1024,1), cuda:0
  from  columns [0, 256) of 'c128a_decode' (512,1024) (engine/metadata.cpp:88) keep its row pitch of 1024
  when  T = 16 > decode_max_tokens = 8 takes 'paged', which refuses (checked, sparse_mla.cu:225);
        'decode' (T <= 8) does not check: rows from 1 on would be wrong
  fix   full rows, c128a_decode.rows(0, 16): dense, readers are bounded by extra_topk_length; scans 1024 columns, scratch x4
        or a kernel that takes the row pitch. Not .contiguous(): 16,384 bytes copied per step, address not the graph's
)");
}

// Contracts with every kind of fact, random tensors: whatever is broken, no address is printed, every message has its
// five fields in order, and what is offered as free is free.
TEST(message, no_address_is_printed_for_random_calls) {
  constexpr static auto strict = make_contract(
      "strict",
      arg("x")
          .type(types::float16)
          .shape(sym("T"), sym("W"))
          .layout(notion::dense, unchecked())
          .aligned(64)
          .aligned_rows(16)
          .descriptor_legal()
          .up_to_tile(4, stale_policy::must_be_cleared),
      arg("out").shape(sym("T"), 2 * sym("W")).layout(notion::canonical).output().disjoint_from("x"));
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  int broken = 0;
  for (int round = 0; round < 3000; ++round) {
    tensor_desc t[2];
    for (tensor_desc& one : t) {
      one = tensor_desc::strided(pick(0, 1) ? "buffer" : "", pick(0, 3) ? types::float16 : types::int32,
                                 {pick(0, 6), pick(1, 6)}, {pick(-3, 9), pick(0, 2)}, gpu,
                                 memory + pick(0, 255));
      if (pick(0, 2) == 0) one = one.rows(0, one.extent(0) / 2);
      if (pick(0, 2) == 0) one = one.columns(0, (one.extent(1) + 1) / 2);
      if (pick(0, 3) == 0) one = one.activated_columns(pick(0, 7));
    }
    const std::string message = told(strict, t[0], t[1]);
    if (message == "ok") continue;
    ++broken;
    std::size_t at = 0;
    for (const char* field : {"strict", "\n  got   ", "\n  from  ", "\n  when  ", "\n  fix   "}) {
      at = message.find(field, at);
      ASSERT_NE(at, std::string::npos) << message;
    }
  }
  EXPECT_GT(broken, 1000);
}

// The base of every tensor above is a real address; none of its digits may show in any message.
TEST(message, no_address_is_printed) {
  constexpr static auto strict = make_contract(
      "strict",
      arg("x").type(types::int8).shape(1).layout(notion::dense).aligned(256).aligned_rows(64).output());
  const std::string message =
      told(strict, tensor_desc::strided("x", types::float16, {3, 5}, {7, 2}, gpu, memory + 2).columns(1, 4));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (std::uintptr_t shown = address; shown < address + 8; ++shown) {
    EXPECT_EQ(message.find(std::to_string(shown)), std::string::npos) << message;
  }
  EXPECT_EQ(message.find("0x"), std::string::npos) << message;
}

}  // namespace
}  // namespace stridelock
