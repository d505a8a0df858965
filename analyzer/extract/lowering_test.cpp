// What becomes of C++: for each promise of docs/layout-ir.md, a snippet and its IR.
//
// The expected text is the function in the IR's text form, without positions, source texts and symbols.
#include <gtest/gtest.h>

#include "analyzer/extract/test_support.h"

namespace stridelock::extract {
namespace {

using testing::body_of;
using testing::extract_cuda;
using testing::extract_sources;
using testing::extract_text;

const std::string with_tensor = R"cpp(
  struct tensor {
    tensor();
    tensor(const tensor&);
    tensor(tensor&&);
    tensor& operator=(const tensor&);
    ~tensor();
    tensor narrow(int, int) const;
    bool dense() const;
    float* data() const;
    long size(int) const;
    tensor& mutate();
  };
)cpp";

TEST(lowering, copies_are_loads_and_assignments_stores) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    void f(const tensor& a, tensor& b) {
      tensor x = a;
      tensor y(static_cast<tensor&&>(x));
      b = y;
      b.operator=(a);
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local x tensor
  local y tensor
b0:
  jump b1
b1:
  %0 = load @a : tensor
  init $x = %0
  %1 = load $x : tensor
  init $y = %1
  %2 = load $y : tensor
  store @b = %2
  %3 = load @a : tensor
  store @b = %3
  destroy tensor::~tensor(&$y: tensor) -> void
  scope_end $y
  destroy tensor::~tensor(&$x: tensor) -> void
  scope_end $x
  jump b2
b2:
  return
)ir");
}

TEST(lowering, converting_constructors_construct_in_place) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    template <class U>
    struct optional {
      optional();
      template <class V>
      optional(V&&);
      ~optional();
      U& value();
    };
    void take(optional<tensor> o);
    void f(const tensor& a) {
      optional<tensor> o = a;
      take(a);
      auto* p = new optional<tensor>(a);
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local o "optional<tensor>"
  local "" "optional<tensor>"
  local p "optional<tensor> *"
b0:
  jump b1
b1:
  construct optional::optional(&$o: "optional<tensor>", &@a: "const tensor &") -> void
  construct optional::optional(&$1: "optional<tensor>", &@a: "const tensor &") -> void
  %0 = load $1 : "optional<tensor>"
  call take(%0: "optional<tensor>") -> void
  destroy optional::~optional(&$1: "optional<tensor>") -> void
  scope_end $1
  %1 = unknown "new"
  construct optional::optional(&*%1: "optional<tensor>", &@a: "const tensor &") -> void
  init $p = %1
  destroy optional::~optional(&$o: "optional<tensor>") -> void
  scope_end $o
  scope_end $p
  jump b2
b2:
  return
)ir");
}

TEST(lowering, aggregates_name_their_fields) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct base {
      int kind;
    };
    struct params : base {
      const float* p;
      long rows = 7;
      tensor owner;
    };
    void use(const params& p);
    void f(const tensor& a) {
      use({{1}, a.data(), a.size(0), a});
      params p{.p = nullptr, .owner = a};
      int list[2] = {1, 2};
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" "const params"
  local p params
  local list "int[2]"
b0:
  jump b1
b1:
  %0 = aggregate base {kind = 1}
  %1 = call tensor::data(&@a: tensor const) method -> "float *"
  %2 = call tensor::size(&@a: tensor const, 0: int) method -> long
  %3 = load @a : tensor
  %4 = aggregate params {base = %0, p = %1, rows = %2, owner = %3}
  init $0 = %4
  call use(&$0: "const params &") -> void
  destroy params::~params(&$0: params) -> void
  scope_end $0
  %5 = aggregate base {kind = 0}
  %6 = load @a : tensor
  %7 = aggregate params {base = %5, p = 0, rows = 7, owner = %6}
  init $p = %7
  %8 = list 1, 2
  init $list = %8
  destroy params::~params(&$p: params) -> void
  scope_end $p
  scope_end $list
  jump b2
b2:
  return
)ir");
}

TEST(lowering, references_are_places) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct holder {
      tensor t;
      tensor& alias;
    };
    tensor& make();
    void f(holder& h, tensor* p) {
      tensor& a = h.t;
      const tensor& b = make();
      a.dense();
      b.dense();
      p->dense();
      (*p).dense();
      h.alias.dense();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(b0:
  jump b1
b1:
  %0 = call make() -> "tensor &"
  %1 = call tensor::dense(&@h.holder::t: tensor const) method discarded -> bool
  unused %1
  %2 = call tensor::dense(&*%0: tensor const) method discarded -> bool
  unused %2
  %3 = load @p : "tensor *"
  %4 = call tensor::dense(&*%3: tensor const) method discarded -> bool
  unused %4
  %5 = load @p : "tensor *"
  %6 = call tensor::dense(&*%5: tensor const) method discarded -> bool
  unused %6
  %7 = load @h.holder::alias : "tensor &"
  %8 = call tensor::dense(&*%7: tensor const) method discarded -> bool
  unused %8
  jump b2
b2:
  return
)ir");
}

TEST(lowering, what_an_optional_holds_is_what_its_value_refers_to) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    template <class T>
    struct optional {
      const T& value() const;
    };
    void f(const optional<tensor>& o) {
      const auto& x = o.value();
      x.dense();
    })cpp");
  EXPECT_EQ(body_of(unit, "f"), R"ir(b0:
  jump b1
b1:
  %0 = call optional::value(&@o: "optional<tensor>" const) method -> "const tensor &"
  %1 = call tensor::dense(&*%0: tensor const) method discarded -> bool
  unused %1
  jump b2
b2:
  return
)ir");
}

TEST(lowering, values_bound_to_references_get_a_place) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    void by_reference(const tensor& t);
    void by_value(tensor t);
    void number(const int& n);
    void f(const tensor& a) {
      by_reference(a.narrow(0, 1));
      by_value(a.narrow(0, 1));
      by_value(a);
      number(3);
      const tensor& kept = a.narrow(2, 3);
      kept.dense();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" "const tensor"
  local "" "const int"
  local "" "const tensor"
b0:
  jump b1
b1:
  %0 = call tensor::narrow(&@a: tensor const, 0: int, 1: int) method -> tensor
  init $0 = %0
  call by_reference(&$0: "const tensor &") -> void
  destroy tensor::~tensor(&$0: tensor) -> void
  scope_end $0
  %1 = call tensor::narrow(&@a: tensor const, 0: int, 1: int) method -> tensor
  call by_value(%1: tensor) -> void
  temporary_end %1
  %2 = load @a : tensor
  call by_value(%2: tensor) -> void
  temporary_end %2
  init $1 = 3
  call number(&$1: "const int &") -> void
  %3 = call tensor::narrow(&@a: tensor const, 2: int, 3: int) method -> tensor
  init $2 = %3
  %4 = call tensor::dense(&$2: tensor const) method discarded -> bool
  unused %4
  destroy tensor::~tensor(&$2: tensor) -> void
  scope_end $2
  jump b2
b2:
  return
)ir");
}

TEST(lowering, this_and_members) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct engine {
      tensor buffer;
      int width;
      void build(int n) {
        width = n;
        helper(buffer);
        this->buffer.dense();
      }
      void helper(const tensor& t);
      void twice() { build(width); }
    };)cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "engine::build"), R"ir(b0:
  jump b1
b1:
  %0 = load @n : int
  store @this.engine::width = %0
  call engine::helper(&@this: engine, &@this.engine::buffer: "const tensor &") method -> void
  %1 = call tensor::dense(&@this.engine::buffer: tensor const) method discarded -> bool
  unused %1
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "engine::twice"), R"ir(b0:
  jump b1
b1:
  %0 = load @this.engine::width : int
  call engine::build(&@this: engine, %0: int) method -> void
  jump b2
b2:
  return
)ir");
}

TEST(lowering, lambdas_capture_by_value_reference_and_this) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct engine {
      tensor buffer;
      void run(const tensor& a, int n) {
        auto f = [this, n, &a](int k) { return buffer.dense() && a.size(n) > k; };
        f(3);
        [copy = a] { copy.dense(); }();
      }
    };)cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "engine::run"), R"ir(  local f "(lambda)" record=_ZN6engine3runERK6tensori#0
  local "" "(lambda)" record=_ZN6engine3runERK6tensori#1
b0:
  jump b1
b1:
  %0 = load @n : int
  %1 = closure _ZN6engine3runERK6tensori#0 [&this = &@this, n = %0, &a = &@a]
  init $f = %1
  %2 = call "engine::run::(lambda)::operator()"(&$f: "(lambda)" const, 3: int) method discarded record=_ZN6engine3runERK6tensori#0 -> bool
  unused %2
  %3 = load @a : tensor
  %4 = closure _ZN6engine3runERK6tensori#1 [copy = %3]
  init $1 = %4
  call "engine::run::(lambda)::operator()"(&$1: "(lambda)" const) method record=_ZN6engine3runERK6tensori#1 -> void
  destroy "engine::run::(lambda)::~(lambda)"(&$1: "(lambda)") record=_ZN6engine3runERK6tensori#1 -> void
  scope_end $1
  scope_end $f
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "engine::run::(lambda)::operator()"), R"ir(b0:
  jump b1
b1:
  %0 = load @this.{"_ZN6engine3runERK6tensori#0", "this"} : "engine *"
  %1 = call tensor::dense(&*%0.engine::buffer: tensor const) method -> bool
  branch %1 b2 b3
b2:
  %2 = load @this.{"_ZN6engine3runERK6tensori#0", "a"} : "const tensor &"
  %3 = load @this.{"_ZN6engine3runERK6tensori#0", "n"} : int
  %4 = call tensor::size(&*%2: tensor const, %3: int) method -> long
  %5 = load @k : int
  %6 = cast %5 : i64
  %7 = gt %4, %6 : u1
  jump b3
b3:
  %8 = logical_and %1, %7 : u1
  return %8
b4:
  return
)ir");
  EXPECT_EQ(body_of(unit, "engine::run::(lambda)::operator()", 1), R"ir(b0:
  jump b1
b1:
  %0 = call tensor::dense(&@this.{"_ZN6engine3runERK6tensori#1", "copy"}: tensor const) method discarded -> bool
  unused %0
  jump b2
b2:
  return
)ir");
}

TEST(lowering, boolean_structure_is_kept) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    void g();
    void f(const tensor& a, int n, float* p) {
      if (!a.dense() || n > 3) g();
      bool ok = a.dense() && p;
      if (__builtin_expect(!(ok && n), 0)) g();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local ok bool
b0:
  jump b1
b1:
  %0 = call tensor::dense(&@a: tensor const) method -> bool
  %1 = logical_not %0 : u1
  branch %1 b3 b2
b2:
  %2 = load @n : int
  %3 = gt %2, 3 : u1
  branch %3 b3 b4
b3:
  call g() -> void
  jump b4
b4:
  %4 = call tensor::dense(&@a: tensor const) method -> bool
  branch %4 b5 b6
b5:
  %5 = load @p : "float *"
  %6 = ne %5, 0 : u1
  jump b6
b6:
  %7 = logical_and %4, %6 : u1
  init $ok = %7
  %8 = load $ok : bool
  branch %8 b7 b8
b7:
  %9 = load @n : int
  %10 = ne %9, 0 : u1
  jump b8
b8:
  %11 = logical_and %8, %10 : u1
  %12 = logical_not %11 : u1
  %13 = cast %12 : i64
  branch %12 b9 b10
b9:
  call g() -> void
  jump b10
b10:
  scope_end $ok
  jump b11
b11:
  return
)ir");
}

TEST(lowering, contextual_conversion_of_a_call_is_that_call) {
  const ir::unit unit = extract_text(R"cpp(
    struct optional {
      explicit operator bool() const;
    };
    void g();
    void f(const optional& o) {
      if (o) g();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(b0:
  jump b1
b1:
  %0 = call "optional::operator bool"(&@o: optional const) method -> bool
  branch %0 b2 b3
b2:
  call g() -> void
  jump b3
b3:
  return
)ir");
}

TEST(lowering, select_joins_the_arms) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    tensor make();
    void f(const tensor& a, const tensor& b, bool c) {
      const tensor& r = c ? a : b;
      r.dense();
      tensor t = c ? a : make();
      int n = c ? 1 : 2;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local t tensor
  local n int
b0:
  jump b1
b1:
  %0 = load @c : bool
  branch %0 b2 b3
b2:
  jump b4
b3:
  jump b4
b4:
  %1 = select %0, &@a, &@b
  %2 = call tensor::dense(&*%1: tensor const) method discarded -> bool
  unused %2
  %3 = load @c : bool
  branch %3 b5 b6
b5:
  %4 = load @a : tensor
  jump b7
b6:
  %5 = call make() -> tensor
  jump b7
b7:
  %6 = select %3, %4, %5
  init $t = %6
  %7 = load @c : bool
  branch %7 b8 b9
b8:
  jump b10
b9:
  jump b10
b10:
  %8 = select %7, 1, 2 : i32
  init $n = %8
  destroy tensor::~tensor(&$t: tensor) -> void
  scope_end $t
  scope_end $n
  jump b11
b11:
  return
)ir");
}

TEST(lowering, stops) {
  const ir::unit unit = extract_text(R"cpp(
    struct error {
      error();
      ~error() __attribute__((noreturn));
      error& operator<<(const char*);
    };
    [[noreturn]] void fail(const char*);
#define ICHECK(c) \
      if (!(c)) error() << #c
#define CHECK(c) \
      if (__builtin_expect(!(c), 0)) fail(#c)
    void f(bool a, bool b, int n) {
      ICHECK(a) << "told";
      CHECK(b);
      if (n < 0) throw 1;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" error
b0:
  jump b1
b1:
  %0 = load @a : bool
  %1 = logical_not %0 : u1
  branch %1 b2 b3
b2:
  construct error::error(&$0: error) -> void
  %2 = call "error::operator<<"(&$0: error, "a": "const char *" pointee 1) method -> "error &"
  %3 = call "error::operator<<"(&*%2: error, "told": "const char *" pointee 1) method discarded -> "error &"
  unused %3
  destroy error::~error(&$0: error) -> void
  scope_end $0
  stop abort
b3:
  %4 = load @b : bool
  %5 = logical_not %4 : u1
  %6 = cast %5 : i64
  branch %5 b4 b5
b4:
  call fail("b": "const char *" pointee 1) -> void
  stop abort
b5:
  %7 = load @n : int
  %8 = lt %7, 0 : u1
  branch %8 b6 b7
b6:
  stop throw
b7:
  return
)ir");
}

TEST(lowering, a_temporary_in_a_condition_exists_only_then) {
  const ir::unit unit = extract_text(R"cpp(
    struct fatal {
      fatal();
      ~fatal() __attribute__((noreturn));
      int log();
    };
    void f(bool ok, bool b) {
      ok ? (void)0 : (void)fatal().log();
      b || fatal().log();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" fatal
  local "" fatal
b0:
  jump b1
b1:
  %0 = load @ok : bool
  branch %0 b2 b3
b2:
  jump b4
b3:
  construct fatal::fatal(&$0: fatal) -> void
  %1 = call fatal::log(&$0: fatal) method -> int
  jump b4
b4:
  %2 = logical_not %0 : u1
  branch %2 b5 b6
b5:
  destroy fatal::~fatal(&$0: fatal) -> void
  scope_end $0
  stop abort
b6:
  %3 = load @b : bool
  branch %3 b8 b7
b7:
  construct fatal::fatal(&$1: fatal) -> void
  %4 = call fatal::log(&$1: fatal) method -> int
  %5 = ne %4, 0 : u1
  jump b8
b8:
  %6 = logical_or %3, %5 : u1
  %7 = logical_not %3 : u1
  branch %7 b9 b10
b9:
  destroy fatal::~fatal(&$1: fatal) -> void
  scope_end $1
  stop abort
b10:
  return
)ir");
}

TEST(lowering, check_eq_asks_a_pointer) {
  const ir::unit unit = extract_text(R"cpp(
    struct text {
      ~text();
    };
    struct box {
      text* p;
      explicit operator bool() const;
      ~box();
    };
    template <class A, class B>
    box differ(const A& a, const B& b);
    struct error {
      error();
      ~error() __attribute__((noreturn));
    };
#define CHECK_EQ(a, b) \
      if (auto message = differ(a, b)) error()
    void f(long n) {
      CHECK_EQ(n, 64);
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" "const int"
  local message box
  local "" error
b0:
  jump b1
b1:
  init $0 = 64
  %0 = call differ(&@n: "const long &", &$0: "const int &") -> box
  init $message = %0
  %1 = call "box::operator bool"(&$message: box const) method -> bool
  branch %1 b2 b3
b2:
  construct error::error(&$2: error) -> void
  destroy error::~error(&$2: error) -> void
  scope_end $2
  stop abort
b3:
  destroy box::~box(&$message: box) -> void
  scope_end $message
  jump b4
b4:
  return
)ir");
}

TEST(lowering, range_for_names_elements) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct vector {
      tensor* begin();
      tensor* end();
    };
    vector& list();
    void f(vector& v, int (&numbers)[3]) {
      for (auto& t : v) t.dense();
      for (tensor t : list()) t.dense();
      for (int n : numbers) numbers[0] += n;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local t tensor
  local n int
b0:
  jump b1
b1:
  jump b2
b2:
  branch _ b3 b5 loop
b3:
  %0 = call tensor::dense(&@v[*]: tensor const) method discarded -> bool
  unused %0
  jump b4
b4:
  jump b2
b5:
  %1 = call list() -> "vector &"
  jump b6
b6:
  branch _ b7 b9 loop
b7:
  %2 = load *%1[*] : tensor
  init $t = %2
  %3 = call tensor::dense(&$t: tensor const) method discarded -> bool
  unused %3
  destroy tensor::~tensor(&$t: tensor) -> void
  scope_end $t
  jump b8
b8:
  jump b6
b9:
  jump b10
b10:
  branch _ b11 b13 loop
b11:
  %4 = load @numbers[*] : int
  init $n = %4
  %5 = load $n : int
  %6 = load @numbers[0] : int
  %7 = add %6, %5 : i32
  store @numbers[0] = %7
  scope_end $n
  jump b12
b12:
  jump b10
b13:
  jump b14
b14:
  return
)ir");
}

TEST(lowering, bindings_and_get_are_elements) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    namespace std {
    using size_t = decltype(sizeof 0);
    template <class T>
    struct tuple_size;
    template <size_t I, class T>
    struct tuple_element;
    template <class A, class B>
    struct pair {
      A first;
      B second;
    };
    template <class A, class B>
    struct tuple {
      tuple();
      ~tuple();
    };
    template <class A, class B>
    struct tuple_size<tuple<A, B>> {
      static constexpr size_t value = 2;
    };
    template <class A, class B>
    struct tuple_element<0, tuple<A, B>> {
      using type = A;
    };
    template <class A, class B>
    struct tuple_element<1, tuple<A, B>> {
      using type = B;
    };
    template <size_t I, class A, class B>
    typename tuple_element<I, tuple<A, B>>::type& get(tuple<A, B>&);
    template <size_t I, class A, class B>
    typename tuple_element<I, tuple<A, B>>::type&& get(tuple<A, B>&&);
    }  // namespace std
    std::tuple<tensor, int> both();
    void f(std::pair<tensor, int>& p, int (&array)[2]) {
      auto [t, n] = both();
      t.dense();
      int sum = n;
      auto& [first, second] = p;
      first.dense();
      auto& [x, y] = array;
      x = y;
      auto whole = both();
      std::get<0>(whole).dense();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "[]" "std::tuple<tensor, int>"
  local sum int
  local whole "std::tuple<tensor, int>"
b0:
  jump b1
b1:
  %0 = call both() -> "std::tuple<tensor, int>"
  init $0 = %0
  %1 = call tensor::dense(&$0[0]: tensor const) method discarded -> bool
  unused %1
  %2 = load $0[1] : int
  init $sum = %2
  %3 = call tensor::dense(&@p.std::pair::first: tensor const) method discarded -> bool
  unused %3
  %4 = load @array[1] : int
  store @array[0] = %4
  %5 = call both() -> "std::tuple<tensor, int>"
  init $whole = %5
  %6 = call tensor::dense(&$whole[0]: tensor const) method discarded -> bool
  unused %6
  destroy std::tuple::~tuple(&$whole: "std::tuple<tensor, int>") -> void
  scope_end $whole
  destroy std::tuple::~tuple(&$0: "std::tuple<tensor, int>") -> void
  scope_end $0
  scope_end $sum
  jump b2
b2:
  return
)ir");
}

TEST(lowering, integer_conversions_are_casts_and_constants_fold) {
  const ir::unit unit = extract_text(R"cpp(
    enum class op { none, clamp = 4 };
    constexpr int width = 8 * 4;
    long size();
    void take(long n, unsigned char b, op o);
    void f(int n, unsigned u) {
      take(n, n, op::clamp);
      take(width, sizeof(long), op(0));
      long product = size() * n;
      unsigned same = u + n;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local product long
  local same "unsigned int"
b0:
  jump b1
b1:
  %0 = load @n : int
  %1 = cast %0 : i64
  %2 = load @n : int
  %3 = cast %2 : u8
  call take(%1: long, %3: "unsigned char", 4(op::clamp): op) -> void
  call take(32: long, 8: "unsigned char", 0: op) -> void
  %4 = call size() -> long
  %5 = load @n : int
  %6 = cast %5 : i64
  %7 = mul %4, %6 : i64
  init $product = %7
  %8 = load @u : "unsigned int"
  %9 = load @n : int
  %10 = cast %9 : u32
  %11 = add %8, %10 : u32
  init $same = %11
  scope_end $same
  scope_end $product
  jump b2
b2:
  return
)ir");
}

TEST(lowering, loops_switches_and_early_returns) {
  const ir::unit unit = extract_text(R"cpp(
    enum op { ADD, MUL, DIV };
    int g(int);
    int f(op o, int n) {
      if (n == 0) return -1;
      for (int i = 0; i < n; ++i) {
        if (g(i)) break;
      }
      while (n > 1) n /= 2;
      do {
        --n;
      } while (g(n));
      switch (o) {
        case ADD:
          return g(1);
        case MUL:
        case DIV:
          n = 2;
          break;
        default:
          n = 3;
      }
      return n;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local i int
b0:
  jump b1
b1:
  %0 = load @n : int
  %1 = eq %0, 0 : u1
  branch %1 b2 b3
b2:
  return -1
b3:
  init $i = 0
  jump b4
b4:
  %2 = load $i : int
  %3 = load @n : int
  %4 = lt %2, %3 : u1
  branch %4 b5 b8 loop
b5:
  %5 = load $i : int
  %6 = call g(%5: int) -> int
  %7 = ne %6, 0 : u1
  branch %7 b6 b7
b6:
  jump b8
b7:
  %8 = load $i : int
  %9 = add %8, 1 : i32
  store $i = %9
  jump b4
b8:
  scope_end $i
  jump b9
b9:
  %10 = load @n : int
  %11 = gt %10, 1 : u1
  branch %11 b10 b12 loop
b10:
  %12 = load @n : int
  %13 = div %12, 2 : i32
  store @n = %13
  jump b11
b11:
  jump b9
b12:
  %14 = load @n : int
  %15 = sub %14, 1 : i32
  store @n = %15
  jump b13
b13:
  %16 = load @n : int
  %17 = call g(%16: int) -> int
  %18 = ne %17, 0 : u1
  branch %18 b14 b15 loop
b14:
  jump b12
b15:
  %19 = load @o : op
  %20 = cast %19 : i32
  switch %20 (0(ADD) -> b18) (1(MUL) -> b16) (2(DIV) -> b17) (default -> b19)
b16:
  jump b17
b17:
  store @n = 2
  jump b20
b18:
  %21 = call g(1: int) -> int
  return %21
b19:
  store @n = 3
  jump b20
b20:
  %22 = load @n : int
  return %22
b21:
  return
)ir");
}

TEST(lowering, scope_ends_destroy) {
  const ir::unit unit = extract_text(R"cpp(
    struct guard {
      guard(int);
      ~guard();
    };
    bool g();
    int f() {
      guard outer(1);
      {
        guard inner(2);
        if (g()) return 3;
      }
      int n = 4;
      return n;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local outer guard
  local inner guard
  local n int
b0:
  jump b1
b1:
  construct guard::guard(&$outer: guard, 1: int) -> void
  construct guard::guard(&$inner: guard, 2: int) -> void
  %0 = call g() -> bool
  branch %0 b2 b3
b2:
  destroy guard::~guard(&$inner: guard) -> void
  scope_end $inner
  destroy guard::~guard(&$outer: guard) -> void
  scope_end $outer
  return 3
b3:
  destroy guard::~guard(&$inner: guard) -> void
  scope_end $inner
  init $n = 4
  %1 = load $n : int
  destroy guard::~guard(&$outer: guard) -> void
  scope_end $outer
  scope_end $n
  return %1
b4:
  return
)ir");
}

TEST(lowering, constructors_initialise_members_and_bases) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct base {
      base(int);
    };
    struct made : base {
      made(const tensor& t, int n) : base(n), t_(t), r_(t_), n_{n} { t_.dense(); }
      made() : made(tensor(), 1) {}
      tensor t_;
      tensor& r_;
      int n_;
      int d_ = 5;
      tensor e_;
    };)cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "made::made"), R"ir(b0:
  jump b1
b1:
  %0 = load @n : int
  construct base::base(&@this: base, %0: int) -> void
  %1 = load @t : tensor
  init @this.made::t_ = %1
  init @this.made::r_ = &@this.made::t_
  %2 = load @n : int
  init @this.made::n_ = %2
  init @this.made::d_ = 5
  construct tensor::tensor(&@this.made::e_: tensor) -> void
  %3 = call tensor::dense(&@this.made::t_: tensor const) method discarded -> bool
  unused %3
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "made::made", 1), R"ir(  local "" tensor
b0:
  jump b1
b1:
  construct tensor::tensor(&$0: tensor) -> void
  construct made::made(&@this: made, &$0: "const tensor &", 1: int) -> void
  destroy tensor::~tensor(&$0: tensor) -> void
  scope_end $0
  jump b2
b2:
  return
)ir");
}

TEST(lowering, destructors_end_members) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    struct base {
      ~base();
    };
    struct made : base {
      tensor t;
      ~made();
    };
    void release();
    made::~made() {
      release();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "made::~made"), R"ir(b0:
  jump b1
b1:
  call release() -> void
  destroy tensor::~tensor(&@this.made::t: tensor) -> void
  destroy base::~base(&@this: base) -> void
  jump b2
b2:
  return
)ir");
}

TEST(lowering, pointers_arrays_and_casts) {
  const ir::unit unit = extract_text(R"cpp(
    struct alignas(16) float4 {
      float x, y, z, w;
    };
    void f(float* p, const void* q, int i, float (&a)[4], unsigned long bits) {
      p[i] = p[2];
      *(p + i) = 0;
      a[1] = a[i];
      float4 v = *reinterpret_cast<const float4*>(p + i);
      const char* c = static_cast<const char*>(q);
      float* r = reinterpret_cast<float*>(bits);
      float** pp = &p;
      (*pp)[0] += 1;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local v float4
  local c "const char *"
  local r "float *"
  local pp "float **"
b0:
  jump b1
b1:
  %0 = load @p : "float *"
  read %0 [2]
  %1 = load *%0[2] : float
  %2 = load @p : "float *"
  %3 = load @i : int
  write %2 [%3]
  store *%2[*] = %1
  %4 = floating 0
  %5 = load @p : "float *"
  %6 = load @i : int
  %7 = add %5, %6
  write %5 [%6]
  store *%7 = %4
  %8 = load @i : int
  %9 = load @a[*] : float
  store @a[1] = %9
  %10 = load @p : "float *"
  %11 = load @i : int
  %12 = add %10, %11
  %13 = pointer_cast %12 -> "const float4 *" pointee=16 lanes=4
  %14 = load *%13 : float4
  init $v = %14
  %15 = load @q : "const void *"
  %16 = pointer_cast %15 -> "const char *" pointee=1
  init $c = %16
  %17 = load @bits : "unsigned long"
  %18 = pointer_cast %17 -> "float *" pointee=4
  init $r = %18
  init $pp = &@p
  %19 = load $pp : "float **"
  %20 = load *%19 : "float *"
  write %20 [0]
  %21 = floating 1
  %22 = load *%20[0] : float
  %23 = floating %22, %21
  store *%20[0] = %23
  scope_end $pp
  scope_end $r
  scope_end $c
  scope_end $v
  jump b2
b2:
  return
)ir");
}

TEST(lowering, discarded_results) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    int status();
    void f(tensor& t) {
      status();
      (void)status();
      t.narrow(0, 1);
      t.mutate();
      if (status()) status(), status();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(b0:
  jump b1
b1:
  %0 = call status() discarded -> int
  unused %0
  %1 = call status() -> int
  %2 = call tensor::narrow(&@t: tensor const, 0: int, 1: int) method discarded -> tensor
  unused %2
  temporary_end %2
  %3 = call tensor::mutate(&@t: tensor) method discarded -> "tensor &"
  unused %3
  %4 = call status() -> int
  %5 = ne %4, 0 : u1
  branch %5 b2 b3
b2:
  %6 = call status() discarded -> int
  unused %6
  %7 = call status() discarded -> int
  unused %7
  jump b3
b3:
  return
)ir");
}

TEST(lowering, default_arguments_are_evaluated_at_each_call) {
  const ir::unit unit = extract_text(R"cpp(
    struct option {
      option(int n = 3);
      ~option();
    };
    void take(int a, const option& o = option(), long n = sizeof(int));
    void f() {
      take(1);
      take(2);
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" option
  local "" option
b0:
  jump b1
b1:
  construct option::option(&$0: option, 3: int) -> void
  call take(1: int, &$0: "const option &", 4: long) -> void
  destroy option::~option(&$0: option) -> void
  scope_end $0
  construct option::option(&$1: option, 3: int) -> void
  call take(2: int, &$1: "const option &", 4: long) -> void
  destroy option::~option(&$1: option) -> void
  scope_end $1
  jump b2
b2:
  return
)ir");
}

TEST(lowering, handlers_are_entries) {
  const ir::unit unit = extract_text(R"cpp(
    struct error {
      int code;
    };
    void risky();
    void log(int);
    void f() {
      try {
        risky();
      } catch (const error& e) {
        log(e.code);
      } catch (...) {
        throw;
      }
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local e "const error &"
b0:
  jump b1
b1:
  call risky() -> void
  jump b2
b2:
  return
b3:
  unreachable
b4: handler
  %0 = load $e.error::code : int
  call log(%0: int) -> void
  jump b2
b5: handler
  stop throw
)ir");
}

TEST(lowering, templates_are_lowered_per_instance) {
  const ir::unit unit = extract_text(R"cpp(
    template <class T>
    T twice(T x) {
      return x + x;
    }
    template <int N>
    int times(int x) {
      if constexpr (N > 1)
        return x * N;
      else
        return x;
    }
    template <class T>
    void unused(T) {}
    int f() {
      return twice(3) + times<4>(2) + int(twice(2.0f));
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(b0:
  jump b1
b1:
  %0 = call twice(3: int) -> int
  %1 = call times(2: int) -> int
  %2 = add %0, %1 : i32
  %3 = floating
  %4 = call twice(%3: float) -> float
  %5 = floating %4 : i32
  %6 = add %2, %5 : i32
  return %6
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "twice"), R"ir(b0:
  jump b1
b1:
  %0 = load @x : float
  %1 = load @x : float
  %2 = floating %0, %1
  return %2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "twice", 1), R"ir(b0:
  jump b1
b1:
  %0 = load @x : int
  %1 = load @x : int
  %2 = add %0, %1 : i32
  return %2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "times"), R"ir(b0:
  jump b1
b1:
  jump b2
b2:
  %0 = load @x : int
  %1 = mul %0, 4 : i32
  return %1
b3:
  return
)ir");
}

TEST(lowering, globals_and_statics) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    tensor shared;
    static int counter;
    struct s {
      static long total;
    };
    int f() {
      static tensor cache = shared;
      cache.dense();
      s::total = ++counter;
      return counter;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local cache tensor static
b0:
  jump b1
b1:
  %0 = load ::shared : tensor
  init $cache = %0
  %1 = call tensor::dense(&$cache: tensor const) method discarded -> bool
  unused %1
  %2 = load ::"_ZL7counter@a.cpp" : int
  %3 = add %2, 1 : i32
  store ::"_ZL7counter@a.cpp" = %3
  %4 = load ::"_ZL7counter@a.cpp" : int
  %5 = cast %4 : i64
  store ::_ZN1s5totalE = %5
  %6 = load ::"_ZL7counter@a.cpp" : int
  return %6
b2:
  return
)ir");
}

TEST(lowering, new_and_delete) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    void f(const tensor& a) {
      tensor* p = new tensor(a);
      int* n = new int(3);
      delete p;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local p "tensor *"
  local n "int *"
b0:
  jump b1
b1:
  %0 = load @a : tensor
  %1 = unknown "new"
  init *%1 = %0
  init $p = %1
  %2 = unknown "new"
  init *%2 = 3
  init $n = %2
  %3 = load $p : "tensor *"
  destroy tensor::~tensor(&*%3: tensor) -> void
  call "operator delete"(%3: "tensor *" pointee 1) -> void
  scope_end $n
  scope_end $p
  jump b2
b2:
  return
)ir");
}

TEST(lowering, c_code) {
  const ir::unit unit = extract_sources({{"/project/a.c", R"cpp(
                                            struct node {
                                              struct node* next;
                                              int kind;
                                            };
                                            static int helper(const struct node* n) {
                                              return n && n->kind;
                                            }
                                            struct node make(void);
                                            void f(struct node* n) {
                                              if (!n->next) return;
                                              if (n->kind == 3 && helper(n)) n->kind++;
                                              struct node copy = *n;
                                              n->kind = make().kind;
                                            })cpp"}});
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "helper"), R"ir(b0:
  jump b1
b1:
  %0 = load @n : "const node *"
  %1 = ne %0, 0 : u1
  branch %1 b2 b3
b2:
  %2 = load @n : "const node *"
  %3 = load *%2.node::kind : int
  jump b3
b3:
  %4 = ne %0, 0 : u1
  %5 = ne %3, 0 : u1
  %6 = logical_and %4, %5 : u1
  return %6
b4:
  return
)ir");
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local copy node
  local "" node
b0:
  jump b1
b1:
  %0 = load @n : "node *"
  %1 = load *%0.node::next : "node *"
  %2 = ne %1, 0 : u1
  %3 = logical_not %2 : u1
  branch %3 b2 b3
b2:
  return
b3:
  %4 = load @n : "node *"
  %5 = load *%4.node::kind : int
  %6 = eq %5, 3 : u1
  branch %6 b4 b6
b4:
  %7 = load @n : "node *"
  %8 = call helper(%7: "const node *" pointee 16) -> int
  %9 = ne %8, 0 : u1
  branch %9 b5 b6
b5:
  %10 = load @n : "node *"
  %11 = load *%10.node::kind : int
  %12 = add %11, 1 : i32
  store *%10.node::kind = %12
  jump b6
b6:
  %13 = load @n : "node *"
  %14 = load *%13 : node
  init $copy = %14
  %15 = call make() -> node
  init $1 = %15
  %16 = load @n : "node *"
  %17 = load $1.node::kind : int
  store *%16.node::kind = %17
  scope_end $copy
  jump b7
b7:
  return
)ir");
}

TEST(lowering, calls_through_pointers_functions_and_virtual_methods) {
  const ir::unit unit = extract_text(R"cpp(
    namespace std {
    template <class F>
    struct function {
      function(F*);
      template <class G>
      function(G&&) {}
      void operator()(int) const;
      ~function();
    };
    }  // namespace std
    struct base {
      virtual void run(int);
      virtual ~base();
    };
    struct derived final : base {
      void run(int) override;
    };
    void f(void (*p)(int), const std::function<void(int)>& s, base& b, derived& d) {
      p(1);
      s(2);
      b.run(3);
      d.run(4);
      b.base::run(5);
      std::function<void(int)> stored = [](int) {};
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" "(lambda)" record=_Z1fPFviERKSt8functionIS_ER4baseR7derived#0
  local stored "std::function<void (int)>"
b0:
  jump b1
b1:
  %0 = load @p : "void (*)(int)"
  call_indirect %0 (1: int) -> void
  call_indirect &@s (&@s: "std::function<void (int)>" const, 2: int) method callee="std::function::operator()" -> void
  call_virtual base::run(&@b: base, 3: int) -> void
  call derived::run(&@d: derived, 4: int) method -> void
  call base::run(&@b: base, 5: int) method -> void
  %1 = closure _Z1fPFviERKSt8functionIS_ER4baseR7derived#0 []
  init $0 = %1
  construct std::function::function(&$stored: "std::function<void (int)>", &$0: "(lambda) &&") -> void
  destroy std::function::~function(&$stored: "std::function<void (int)>") -> void
  scope_end $stored
  jump b2
b2:
  return
)ir");
}

TEST(lowering, kernel_launches_keep_their_configuration) {
  const ir::unit unit = extract_cuda(R"cpp(
    __global__ void scale(float* x, int n) {
      x[n] = 2 * x[0];
    }
    template <class T>
    __global__ void copy(T* x, const T* y) {
      *x = *y;
    }
    __device__ int helper(int n) {
      return n;
    }
    void launch(float* x, int n, cudaStream_t s) {
      scale<<<n, 128, 0, s>>>(x, n);
      copy<float><<<dim3(n), dim3(32, 4)>>>(x, x);
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "launch"), R"ir(  local "" dim3
  local "" dim3
  local "" dim3
  local "" dim3
b0:
  jump b1
b1:
  %0 = load @n : int
  %1 = cast %0 : u32
  construct dim3::dim3(&$0: dim3, %1: "unsigned int", 1: "unsigned int", 1: "unsigned int") -> void
  construct dim3::dim3(&$1: dim3, 128: "unsigned int", 1: "unsigned int", 1: "unsigned int") -> void
  %2 = load @s : "stream_tag *"
  %3 = load @x : "float *"
  %4 = load @n : int
  %5 = load $0 : dim3
  %6 = load $1 : dim3
  launch scale<<<%5, %6, 0, %2>>>(%3: "float *" pointee 4, %4: int) -> void
  %7 = load @n : int
  %8 = cast %7 : u32
  construct dim3::dim3(&$2: dim3, %8: "unsigned int", 1: "unsigned int", 1: "unsigned int") -> void
  construct dim3::dim3(&$3: dim3, 32: "unsigned int", 4: "unsigned int", 1: "unsigned int") -> void
  %9 = load @x : "float *"
  %10 = load @x : "float *"
  %11 = load $2 : dim3
  %12 = load $3 : dim3
  launch copy<<<%11, %12, _, _>>>(%9: "float *" pointee 4, %10: "const float *" pointee 4) -> void
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "scale"), R"ir(b0:
  jump b1
b1:
  %0 = floating 2
  %1 = load @x : "float *"
  read %1 [0]
  %2 = load *%1[0] : float
  %3 = floating %0, %2
  %4 = load @x : "float *"
  %5 = load @n : int
  write %4 [%5]
  store *%4[*] = %3
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "copy"), R"ir(b0:
  jump b1
b1:
  %0 = load @y : "const float *"
  %1 = load *%0 : float
  %2 = load @x : "float *"
  store *%2 = %1
  jump b2
b2:
  return
)ir");
}

TEST(lowering, early_exit_inside_try_and_nested_returns) {
  const ir::unit unit = extract_text(R"cpp(
    struct guard {
      ~guard();
      int value();
    };
    int risky(int);
    int f(bool a) {
      guard g;
      try {
        if (a) return risky(1);
      } catch (int code) {
        return code;
      }
      return a ? guard().value() : g.value();
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local g guard
  local "" guard
  local code int
b0:
  jump b1
b1:
  %0 = load @a : bool
  branch %0 b2 b3
b2:
  %1 = call risky(1: int) -> int
  destroy guard::~guard(&$g: guard) -> void
  scope_end $g
  return %1
b3:
  %2 = load @a : bool
  branch %2 b4 b5
b4:
  %3 = aggregate guard {}
  init $1 = %3
  %4 = call guard::value(&$1: guard) method -> int
  jump b6
b5:
  %5 = call guard::value(&$g: guard) method -> int
  jump b6
b6:
  %6 = select %2, %4, %5 : i32
  branch %2 b7 b8
b7:
  destroy guard::~guard(&$1: guard) -> void
  scope_end $1
  jump b8
b8:
  destroy guard::~guard(&$g: guard) -> void
  scope_end $g
  return %6
b9:
  return
b10:
  scope_end $code
  jump b3
b11:
  unreachable
b12: handler
  %7 = load $code : int
  scope_end $code
  destroy guard::~guard(&$g: guard) -> void
  scope_end $g
  return %7
)ir");
}

TEST(lowering, dispatch_macro_copies_its_lambda) {
  const ir::unit unit = extract_text(with_tensor + R"cpp(
    namespace detail {
    template <class F>
    void run(F f) {
      f();
    }
    }  // namespace detail
#define DISPATCH(TYPE, ...)  \
      switch (TYPE) {            \
        case 0: {                \
          using scalar = float;  \
          __VA_ARGS__();         \
          break;                 \
        }                        \
        case 1: {                \
          using scalar = double; \
          __VA_ARGS__();         \
          break;                 \
        }                        \
      }
    template <class T>
    void kernel(const tensor& t, T* p);
    void f(const tensor& t, int type) {
      DISPATCH(type, [&] { kernel<scalar>(t, nullptr); });
      detail::run([&t] { t.dense(); });
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" "(lambda)" record=_Z1fRK6tensori#1
  local "" "(lambda)" record=_Z1fRK6tensori#0
b0:
  jump b1
b1:
  %0 = load @type : int
  switch %0 (0 -> b3) (1 -> b2) (default -> b4)
b2:
  %1 = closure _Z1fRK6tensori#1 [&t = &@t]
  init $0 = %1
  call "f::(lambda)::operator()"(&$0: "(lambda)" const) method record=_Z1fRK6tensori#1 -> void
  jump b4
b3:
  %2 = closure _Z1fRK6tensori#0 [&t = &@t]
  init $1 = %2
  call "f::(lambda)::operator()"(&$1: "(lambda)" const) method record=_Z1fRK6tensori#0 -> void
  jump b4
b4:
  %3 = closure _Z1fRK6tensori#2 [&t = &@t]
  call detail::run(%3: "(lambda)") -> void
  jump b5
b5:
  return
)ir");
  EXPECT_EQ(body_of(unit, "f::(lambda)::operator()"), R"ir(b0:
  jump b1
b1:
  %0 = load @this.{"_Z1fRK6tensori#0", "t"} : "const tensor &"
  call kernel(&*%0: "const tensor &", 0: "float *" pointee 4) -> void
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "f::(lambda)::operator()", 1), R"ir(b0:
  jump b1
b1:
  %0 = load @this.{"_Z1fRK6tensori#1", "t"} : "const tensor &"
  call kernel(&*%0: "const tensor &", 0: "double *" pointee 8) -> void
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "f::(lambda)::operator()", 2), R"ir(b0:
  jump b1
b1:
  %0 = load @this.{"_Z1fRK6tensori#2", "t"} : "const tensor &"
  %1 = call tensor::dense(&*%0: tensor const) method discarded -> bool
  unused %1
  jump b2
b2:
  return
)ir");
  EXPECT_EQ(body_of(unit, "detail::run"), R"ir(b0:
  jump b1
b1:
  call "f::(lambda)::operator()"(&@f: "(lambda)" const) method record=_Z1fRK6tensori#2 -> void
  jump b2
b2:
  return
)ir");
}

TEST(lowering, statement_expressions_commas_and_assignments_have_values) {
  const ir::unit unit = extract_text(R"cpp(
    int g();
    int f(int a, int b) {
      int c = ({
        int t = g();
        t + 1;
      });
      a = b = c;
      a += (b, 2);
      return a++ - --b;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local t int
  local c int
b0:
  jump b1
b1:
  %0 = call g() -> int
  init $t = %0
  %1 = load $t : int
  %2 = add %1, 1 : i32
  scope_end $t
  init $c = %2
  %3 = load $c : int
  store @b = %3
  %4 = load @b : int
  store @a = %4
  %5 = load @a : int
  %6 = add %5, 2 : i32
  store @a = %6
  %7 = load @a : int
  %8 = add %7, 1 : i32
  store @a = %8
  %9 = load @b : int
  %10 = sub %9, 1 : i32
  store @b = %10
  %11 = load @b : int
  %12 = sub %7, %11 : i32
  scope_end $c
  return %12
b2:
  return
)ir");
}

TEST(lowering, unions_and_unnamed_members) {
  const ir::unit unit = extract_text(R"cpp(
    struct variant {
      int tag;
      union {
        float f;
        long n;
      };
      struct {
        int x;
      } inner;
    };
    long f(variant& v) {
      v.n = 3;
      v.inner.x = v.tag;
      variant w{1, {2.0f}, {3}};
      return v.n;
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local w variant
b0:
  jump b1
b1:
  store @v.variant::n = 3
  %0 = load @v.variant::tag : int
  store @v.variant::inner.{"variant::(unnamed)", "x"} = %0
  %1 = floating
  %2 = aggregate variant {f = %1}
  %3 = aggregate "variant::(unnamed)" {x = 3}
  %4 = aggregate variant {tag = 1, f = %1, inner = %3}
  init $w = %4
  %5 = load @v.variant::n : long
  scope_end $w
  return %5
b2:
  return
)ir");
}

TEST(lowering, initializer_lists_are_lists) {
  const ir::unit unit = extract_text(R"cpp(
    namespace std {
    using size_t = decltype(sizeof 0);
    template <class T>
    struct initializer_list {
      const T* p;
      size_t n;
    };
    }  // namespace std
    struct sizes {
      sizes(std::initializer_list<long>);
    };
    void take(sizes s);
    void f(long n) {
      take({1, n});
      sizes s{n, n, 3};
    })cpp");
  EXPECT_EQ(unit.error_count, 0U);
  EXPECT_EQ(body_of(unit, "f"), R"ir(  local "" "const long[2]"
  local "" sizes
  local "" "const long[3]"
  local s sizes
b0:
  jump b1
b1:
  %0 = load @n : long
  %1 = list 1, %0
  init $0 = %1
  construct sizes::sizes(&$1: sizes, %1: "std::initializer_list<long>") -> void
  %2 = load $1 : sizes
  call take(%2: sizes) -> void
  %3 = load @n : long
  %4 = load @n : long
  %5 = list %3, %4, 3
  init $2 = %5
  construct sizes::sizes(&$s: sizes, %5: "std::initializer_list<long>") -> void
  scope_end $s
  jump b2
b2:
  return
)ir");
}

}  // namespace
}  // namespace stridelock::extract
