#include "stridelock/registry.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "stridelock/check.h"
#include "stridelock/persistent_buffer.h"

namespace stridelock {
namespace {

constexpr device gpu{device_kind::cuda, 0};

// Addresses that nothing reads: the registry only compares them.
int* at(std::uintptr_t address) {
  return reinterpret_cast<int*>(address);
}
view<int, 2> matrix(std::uintptr_t address, index_t rows, index_t columns) {
  return {at(address), {{rows, columns}}};
}
using buffer = persistent_buffer<int, 2>;

TEST(registry, names_owner_offset_and_generation) {
  registry all;
  const buffer indices = buffer::told("indices", matrix(0x10000, 16, 64), gpu, all);
  ASSERT_TRUE(indices.ok());
  EXPECT_EQ(indices.owner().generation, 1u);
  const placement inside = all.find(at(0x10100), 256);
  EXPECT_EQ(inside.what(), memory_class::persistent);
  EXPECT_EQ(inside.name(), "indices");
  EXPECT_EQ(inside.offset(), 0x100u);
  EXPECT_EQ(inside.owner(), indices.owner());
  EXPECT_EQ(all.find(at(0x10000 + 16 * 64 * 4)).what(), memory_class::unregistered);
  EXPECT_EQ(all.find(at(0xffff)).what(), memory_class::unregistered);
  EXPECT_EQ(all.find(at(0x10ffc), 8).what(), memory_class::unregistered) << "one byte beyond the end";
  EXPECT_EQ(all.find(nullptr).what(), memory_class::unregistered);
  EXPECT_EQ(all.find(at(0x10000), ~std::uint64_t{0}).what(), memory_class::unregistered);
}

TEST(registry, looks_at_all_bytes_that_a_tensor_reaches) {
  registry all;
  const buffer indices = buffer::told("indices", matrix(0x10000, 16, 64), gpu, all);
  const index_t extents[] = {16, 32}, strides[] = {64, 1}, backwards[] = {-64, 1}, wide[] = {65, 1};
  tensor_ref t{at(0x10000), types::int32, 2, gpu, extents, strides};
  EXPECT_EQ(all.find(t).what(), memory_class::persistent);
  t.byte_offset = 32 * 4;
  EXPECT_EQ(all.find(t).what(), memory_class::persistent) << "columns 32 to 63";
  t.byte_offset = 33 * 4;
  EXPECT_EQ(all.find(t).what(), memory_class::unregistered);
  t.byte_offset = 0;
  t.strides = wide;
  EXPECT_EQ(all.find(t).what(), memory_class::persistent) << "15 * 65 + 32 <= 1024 elements";
  t.strides = backwards;
  EXPECT_EQ(all.find(t).what(), memory_class::unregistered) << "reaches below the base";
  t.byte_offset = 15 * 64 * 4;
  EXPECT_EQ(all.find(t).what(), memory_class::persistent);
  EXPECT_EQ(all.find(t).offset(), 0u) << "the lowest byte counts";
}

TEST(registry, sub_byte_elements_take_whole_bytes) {
  registry all;
  const index_t extents[] = {3};
  const tensor_ref packed{at(0x100), types::int4, 1, gpu, extents, nullptr};
  const registered_buffer b = registered_buffer::told("packed", packed, all);
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(all.find(at(0x100), 2).what(), memory_class::persistent);
  EXPECT_EQ(all.find(at(0x100), 3).what(), memory_class::unregistered);
}

TEST(registry, generations_only_rise) {
  registry all;
  buffer b = buffer::told("b", matrix(0x10000, 4, 64), gpu, all);
  const std::uint64_t id = b.owner().id;
  EXPECT_TRUE(b.moved(matrix(0x20000, 4, 64)).ok());
  EXPECT_EQ(b.owner(), (owner_token{id, 2}));
  EXPECT_EQ(b.full().data, at(0x20000));
  EXPECT_EQ(all.find(at(0x10000)).what(), memory_class::unregistered);
  EXPECT_EQ(all.find(at(0x20000)).owner(), b.owner());
  b.gone();
  EXPECT_FALSE(b.ok());
  EXPECT_EQ(all.find(at(0x20000)).what(), memory_class::unregistered);
  EXPECT_FALSE(b.moved(matrix(0x30000, 4, 64)).ok());
}

// The owner of a name stays one owner while somebody remembers it.
TEST(registry, a_name_taken_again_goes_on_counting) {
  registry all;
  placement remembered;
  {
    const buffer b = buffer::told("kv", matrix(0x10000, 4, 64), gpu, all);
    remembered = all.find(at(0x10000));
  }
  const buffer again = buffer::told("kv", matrix(0x10000, 4, 64), gpu, all);
  EXPECT_EQ(again.owner().id, remembered.owner().id);
  EXPECT_EQ(again.owner().generation, 3u) << "registered, gone, registered";
}

TEST(registry, two_live_buffers_never_overlap) {
  registry all;
  const buffer first = buffer::told("first", matrix(0x10000, 4, 64), gpu, all);
  const buffer second = buffer::told("second", matrix(0x103fc, 4, 64), gpu, all);
  EXPECT_FALSE(second.ok());
  EXPECT_EQ(second.fault().what, registration_error::overlaps);
  EXPECT_EQ(text(second.fault()),
            "'second' cannot be registered: some of its bytes belong to 'first', which is live\n"
            "  fix   end 'first' first, or declare a part of it: part_of()");
  EXPECT_TRUE(buffer::told("neighbour", matrix(0x10400, 4, 64), gpu, all).ok());
  EXPECT_EQ(buffer::told("first", matrix(0x90000, 4, 64), gpu, all).fault().what,
            registration_error::name_taken);
  EXPECT_EQ(all.buffer_count(), 1);
}

TEST(registry, a_move_onto_another_buffer_ends_the_registration) {
  registry all;
  buffer b = buffer::told("b", matrix(0x10000, 4, 64), gpu, all);
  const buffer other = buffer::told("other", matrix(0x20000, 4, 64), gpu, all);
  EXPECT_EQ(b.moved(matrix(0x20000, 4, 64)).what, registration_error::overlaps);
  EXPECT_FALSE(b.ok());
  EXPECT_EQ(b.full().data, nullptr);
  EXPECT_EQ(all.find(at(0x10000)).what(), memory_class::unregistered);
  EXPECT_EQ(all.find(at(0x20000)).name(), "other");
}

TEST(registry, a_generation_never_falls_even_where_nobody_remembers_the_name) {
  registry all;
  owner_token last;
  {
    buffer b = buffer::told("kv", matrix(0x10000, 4, 64), gpu, all);
    for (int i = 0; i < 5; ++i) b.moved(matrix(0x10000, 4, 64));
    last = b.owner();
  }
  for (int i = 0; i < 3; ++i) {
    const buffer other = buffer::told("other" + std::to_string(i), matrix(0x20000, 4, 64), gpu, all);
  }
  const buffer again = buffer::told("kv", matrix(0x10000, 4, 64), gpu, all);
  EXPECT_GT(again.owner().generation, last.generation);
}

TEST(registry, nothing_becomes_a_part_of_itself_or_of_what_is_dead) {
  registry all;
  bool is_alive = true;
  const auto probe = [&]() noexcept { return is_alive; };
  const index_t extents[] = {2, 64};
  const tensor_ref half{at(0x10000), types::int32, 2, gpu, extents, nullptr};
  buffer whole = buffer::probed("p", matrix(0x10000, 4, 64), probe, gpu, all);
  const registered_buffer part = registered_buffer::part_of(whole.registration(), "part", half);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(registered_buffer::part_of(whole.registration(), "p", half).fault().what,
            registration_error::name_taken);
  is_alive = false;
  EXPECT_EQ(registered_buffer::part_of(whole.registration(), "p", half).fault().what,
            registration_error::not_registered);
  EXPECT_EQ(text(registered_buffer::part_of(whole.registration(), "of the dead", half).fault()),
            "'of the dead' cannot be registered: its buffer is gone or was never registered\n"
            "  fix   register it again");
  EXPECT_EQ(registered_buffer::part_of(part, "of its part", half).fault().what,
            registration_error::not_registered);
  whole.moved(matrix(0x30000, 4, 64));
  EXPECT_TRUE(buffer::told("part", matrix(0x50000, 4, 64), gpu, all).ok())
      << "a dead buffer's parts are dead";
}

TEST(registry, a_probe_that_changes_its_mind_makes_no_part_of_itself) {
  registry all;
  int asked = 0;
  const auto once = [&]() noexcept { return asked++ == 0; };
  const index_t extents[] = {2, 64};
  const tensor_ref half{at(0x10000), types::int32, 2, gpu, extents, nullptr};
  buffer whole = buffer::probed("p", matrix(0x10000, 4, 64), once, gpu, all);
  EXPECT_EQ(registered_buffer::part_of(whole.registration(), "p", half).fault().what,
            registration_error::name_taken);
  EXPECT_TRUE(whole.moved(matrix(0x30000, 4, 64)).ok());
}

TEST(registry, a_sub_block_of_a_pool_leaves_the_rest_of_the_range) {
  registry all;
  private_pool pool("g", all);
  ASSERT_TRUE(pool.note(at(0x10000), 0x1000).ok());
  ASSERT_TRUE(pool.note(at(0x10400), 0x100).ok());
  for (const std::uintptr_t inside : {0x10000, 0x103ff, 0x10400, 0x10500, 0x10fff})
    EXPECT_EQ(all.find(at(inside)).what(), memory_class::graph_private) << inside;
  EXPECT_EQ(all.find(at(0x10500)).offset(), 0x500u);
  EXPECT_EQ(all.find(at(0x10400)).offset(), 0x1000u) << "handed out anew";
  EXPECT_EQ(all.find(at(0x11000)).what(), memory_class::unregistered);
}

TEST(registry, a_name_forges_no_line_and_is_cut_between_characters) {
  registry all;
  EXPECT_EQ(
      text(buffer::told("b\nok \xff", matrix(0, 4, 64), gpu, all).fault()),
      "'b?ok \xef\xbf\xbd' cannot be registered: it has no address, or no bytes\n  fix   allocate it first");
  const std::string umlauts = "x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
  EXPECT_EQ(short_text<8>(umlauts).view(), "x\xc3\xa4\xc3\xa4...");
  EXPECT_EQ(short_text<7>(umlauts).view(), "x\xc3\xa4...");
}

TEST(registry, nonsense_is_refused) {
  registry all;
  EXPECT_EQ(buffer::told("null", matrix(0, 4, 64), gpu, all).fault().what, registration_error::no_memory);
  EXPECT_EQ(buffer::told("empty", matrix(0x1000, 0, 64), gpu, all).fault().what,
            registration_error::no_memory);
  EXPECT_EQ(buffer::told("handle", matrix(0x1000, 1, 64), {device_kind::opencl, 0}, all).fault().what,
            registration_error::no_memory);
  constexpr index_t huge = checked::highest;
  EXPECT_EQ(buffer::told("huge", matrix(0x1000, huge, huge), gpu, all).fault().what,
            registration_error::malformed);
  EXPECT_EQ(buffer::told("negative", matrix(0x1000, -1, 4), gpu, all).fault().what,
            registration_error::malformed);
  EXPECT_EQ(buffer::told("beyond", matrix(~std::uintptr_t{0} - 100, 4, 64), gpu, all).fault().what,
            registration_error::no_memory);
  EXPECT_EQ(all.buffer_count(), 0);
  EXPECT_EQ(buffer().fault().what, registration_error::not_registered);
}

TEST(registry, parts_are_found_first_and_move_with_their_whole) {
  registry all;
  buffer whole = buffer::told("storage", matrix(0x10000, 16, 64), gpu, all);
  const index_t extents[] = {4, 64};
  const auto part_at = [&](std::uintptr_t address) {
    return tensor_ref{at(address), types::int32, 2, gpu, extents, nullptr};
  };
  const registered_buffer part = registered_buffer::part_of(whole.registration(), "keys", part_at(0x10400));
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(all.find(at(0x10404), 4).name(), "keys");
  EXPECT_EQ(all.find(at(0x10404), 4).offset(), 4u);
  EXPECT_EQ(all.find(at(0x10000), 4).name(), "storage");
  EXPECT_EQ(all.find(at(0x10000), 0x1000).name(), "storage") << "a view across the part is the whole's";
  const registered_buffer later =
      registered_buffer::part_of(whole.registration(), "same bytes", part_at(0x10400));
  EXPECT_EQ(all.find(at(0x10404), 4).name(), "same bytes") << "the latest wins";
  EXPECT_EQ(registered_buffer::part_of(whole.registration(), "outside", part_at(0x10d00)).fault().what,
            registration_error::outside_parent);

  const std::uint64_t before = part.owner().generation;
  EXPECT_TRUE(whole.moved(matrix(0x20000, 16, 64)).ok());
  EXPECT_EQ(part.owner().generation, before + 1);
  EXPECT_EQ(all.find(at(0x20404), 4).name(), "same bytes");
  EXPECT_TRUE(whole.moved(matrix(0x30000, 4, 64)).ok());
  EXPECT_FALSE(part.ok()) << "no longer inside";
  whole.gone();
  EXPECT_FALSE(later.ok());
  EXPECT_EQ(registered_buffer::part_of(whole.registration(), "late", part_at(0x10400)).fault().what,
            registration_error::not_registered);
}

TEST(registry, keeps_alive_what_it_adopted_and_frees_what_it_owns) {
  registry all;
  auto storage = std::make_shared<std::vector<int>>(256);
  const std::weak_ptr<std::vector<int>> watched = storage;
  buffer b = buffer::adopt("b", {storage->data(), {{4, 64}}}, storage, gpu, all);
  storage = nullptr;
  EXPECT_FALSE(watched.expired());
  auto next = std::make_shared<std::vector<int>>(512);
  EXPECT_TRUE(b.moved({next->data(), {{8, 64}}}, next).ok());
  EXPECT_TRUE(watched.expired()) << "let go after the move";
  b.gone();
  EXPECT_EQ(next.use_count(), 1);

  int freed = 0;
  const auto free = [&freed](void* p) { freed += p == at(0x10000) ? 1 : 100; };
  {
    const buffer owned = buffer::own("owned", matrix(0x10000, 4, 64), free, gpu, all);
  }
  EXPECT_EQ(freed, 1);
  {
    const buffer taken = buffer::told("taken", matrix(0x10000, 4, 64), gpu, all);
    const buffer owned = buffer::own("owned", matrix(0x10000, 4, 64), free, gpu, all);
    EXPECT_FALSE(owned.ok());
    EXPECT_EQ(freed, 1) << "while the object lives";
  }
  EXPECT_EQ(freed, 2) << "also where it could not be registered";
}

TEST(registry, a_dead_probe_makes_room) {
  registry all;
  auto storage = std::make_shared<int>(0);
  const std::weak_ptr<int> weak = storage;
  const auto alive = [weak]() noexcept { return !weak.expired(); };
  const buffer old = buffer::probed("old", matrix(0x10000, 4, 64), alive, gpu, all);
  EXPECT_EQ(all.find(at(0x10000)).name(), "old");
  EXPECT_FALSE(buffer::told("new", matrix(0x10000, 4, 64), gpu, all).ok());
  storage = nullptr;
  EXPECT_EQ(all.find(at(0x10000)).what(), memory_class::unregistered);
  const buffer next = buffer::told("new", matrix(0x10000, 4, 64), gpu, all);
  EXPECT_TRUE(next.ok());
  EXPECT_EQ(all.find(at(0x10000)).name(), "new");
  EXPECT_FALSE(old.ok());
  EXPECT_TRUE(buffer::told("old", matrix(0x20000, 4, 64), gpu, all).ok()) << "and its name is free";
}

// A handle whose name was taken over by another buffer has no say over it.
TEST(registry, an_old_handle_cannot_end_its_successor) {
  registry all;
  bool is_alive = true;
  buffer old =
      buffer::probed("b", matrix(0x10000, 4, 64), [&is_alive]() noexcept { return is_alive; }, gpu, all);
  is_alive = false;
  const buffer next = buffer::told("b", matrix(0x20000, 4, 64), gpu, all);
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(old.ok());
  old.gone();
  EXPECT_TRUE(next.ok());
}

TEST(private_pools, are_found_and_never_registered) {
  registry all;
  {
    private_pool pool("decode", all);
    EXPECT_TRUE(pool.note(at(0x10000), 0x1000).ok());
    EXPECT_TRUE(pool.note(at(0x50000), 0x1000).ok());
    const placement inside = all.find(at(0x50010), 16);
    EXPECT_EQ(inside.what(), memory_class::graph_private);
    EXPECT_EQ(inside.name(), "decode");
    EXPECT_EQ(inside.offset(), 0x1010u) << "ranges count in the order in which they were noted";
    EXPECT_EQ(inside.owner(), pool.owner());

    const buffer refused = buffer::told("b", matrix(0x10800, 16, 64), gpu, all);
    EXPECT_EQ(
        text(refused.fault()),
        "'b' cannot be registered: its memory belongs to the private pool of 'decode' and dies with it\n"
        "  fix   allocate persistent buffers outside captures and private pools");
    private_pool other("other", all);
    EXPECT_EQ(other.note(at(0x10000), 16).what, registration_error::in_private_pool);
    EXPECT_TRUE(pool.note(at(0x10000), 64).ok()) << "the pool handed the block out anew";
    EXPECT_EQ(all.find(at(0x10000), 65).what(), memory_class::unregistered);
    const private_pool copy = pool;
    pool.reset();
    EXPECT_EQ(copy.owner().generation, 2u);
    EXPECT_EQ(all.find(at(0x50010)).what(), memory_class::unregistered);
    EXPECT_TRUE(pool.note(at(0x10000), 0x1000).ok());
  }
  const buffer b = buffer::told("b", matrix(0x10000, 4, 64), gpu, all);
  EXPECT_TRUE(b.ok()) << "the pool is gone";
  private_pool late("late", all);
  EXPECT_EQ(late.note(at(0x10000), 16).what, registration_error::overlaps);
  EXPECT_EQ(late.note(nullptr, 16).what, registration_error::no_memory);
}

inline constexpr auto gather = make_contract(
    "gather", arg("indices").type(types::int32).shape(sym("T"), sym("W")).stable(checked_at("gather.cu:3")));

TEST(registry, judges_stable_in_contracts) {
  registry all;
  const buffer indices = buffer::told("indices", matrix(0x10000, 16, 64), gpu, all);
  const auto rows = indices.full().rows(0, 8);
  EXPECT_EQ(check<gather>(rows).unevaluated(), 1) << "without a registry nobody can say";
  EXPECT_TRUE(check_in<gather>(all.context(), rows).ok());
  EXPECT_EQ(check_in<gather>(all.context(), rows).unevaluated(), 0);
  const report r = check_in<gather>(all.context(), matrix(0x90000, 8, 64));
  ASSERT_EQ(r.result(), verdict::refused);
  EXPECT_EQ(r[0].kind, violation_kind::stable);
  private_pool pool("graph", all);
  pool.note(at(0x90000), 0x1000);
  EXPECT_FALSE(check_in<gather>(all.context(), matrix(0x90000, 8, 64)).ok()) << "private is not persistent";
}

TEST(registry, may_be_used_from_many_threads) {
  registry all;
  std::vector<std::thread> threads;
  for (std::uintptr_t t = 0; t < 8; ++t) {
    threads.emplace_back([&all, t] {
      const std::string name = "buffer " + std::to_string(t);
      const std::uintptr_t base = 0x100000 * (t + 1);
      for (int i = 0; i < 200; ++i) {
        buffer b = buffer::told(name, matrix(base, 4, 64), gpu, all);
        EXPECT_EQ(all.find(at(base)).name(), name);
        EXPECT_TRUE(b.moved(matrix(base + 0x1000, 4, 64)).ok());
        EXPECT_EQ(all.find(at(base + 0x1000)).offset(), 0u);
        all.find(at(0x100000 * ((t + 1) % 8 + 1)));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(all.buffer_count(), 0);
}

}  // namespace
}  // namespace stridelock
