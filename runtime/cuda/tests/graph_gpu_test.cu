// Each bad capture is found on a real GPU, each cured one is silent. With a folder as argument the snapshots are saved
// there: they become fixtures for the judge (tests/graph_snapshots).
#include <dlfcn.h>

#include <cstring>
#include <functional>
#include <vector>

#include "gpu_program.h"
#include "stridelock/cuda/graph_reader.h"
#include "stridelock/cuda/poison.h"
#include "stridelock/graph_audit.h"
#include "stridelock/graph_difference.h"
#include "stridelock/poison_replay.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HAS_CUBLAS_HEADER 1
#endif

namespace sl = stridelock;
using sl::audit_verdict;

__global__ void scale(const float* in, float* out, int n, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i] * factor;
}
__global__ void scale_by_cell(const float* in, float* out, const int* n, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < *n) out[i] = in[i] * factor;
}
struct packed_arguments {
  long long seed;
  const float* in;
  float* out;
  int n;
};
__global__ void by_struct(packed_arguments a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < a.n) a.out[i] = a.in[i] + static_cast<float>(a.seed);
}
// Sums `width` columns of each row; rows hold data in the first columns only.
__global__ void row_sums(const int* in, int pitch, int width, int* out) {
  int sum = 0;
  for (int c = 0; c < width; ++c)
    sum += in[blockIdx.x * static_cast<unsigned>(pitch) + static_cast<unsigned>(c)];
  out[blockIdx.x] = sum;
}
__global__ void nothing() {}
static void CUDART_CB host_function(void*) {}

namespace {

std::string folder;

void save(const std::string& name, const std::string& bytes) {
  if (folder.empty()) return;
  if (std::FILE* file = std::fopen((folder + "/" + name).c_str(), "wb")) {
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
}

std::string known_json(const sl::known_memory& known) {
  char number[32];
  std::string out = "{\"stridelock_known_memory\":1,\"ranges\":[";
  for (std::size_t i = 0; i < known.ranges.size(); ++i) {
    const sl::known_range& r = known.ranges[i];
    std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(r.begin));
    out += std::string(i > 0 ? ",\n  " : "\n  ") + "{\"name\":\"" + r.name + "\",\"begin\":\"" + number +
           "\",\"bytes\":" + std::to_string(r.bytes) + ",\"generation\":" + std::to_string(r.generation) +
           ",\"role\":\"" + std::string(sl::name_of(r.role)) + "\",\"live\":" + (r.live ? "true" : "false") +
           "}";
  }
  out += "],\n\"words\":[";
  for (std::size_t i = 0; i < known.words.size(); ++i) {
    const sl::known_word& w = known.words[i];
    std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(w.value));
    out += std::string(i > 0 ? ",\n  " : "\n  ") + "{\"value\":\"" + number + "\",\"owner\":\"" + w.owner +
           "\",\"generation\":" + std::to_string(w.generation) + "}";
  }
  return out + "]}\n";
}

sl::graph_snapshot read(cudaGraph_t graph, const char* label,
                        const std::vector<sl::cuda::conditional_graphs>& bodies = {}) {
  const sl::cuda::read_result result = sl::cuda::read_graph(graph, {label, bodies});
  if (!result.failure.empty()) {
    std::printf("%s: %s\n", label, result.failure.c_str());
    ++gpu::failures;
  }
  return result.snapshot;
}

struct captured {
  cudaGraph_t graph = nullptr;
  sl::graph_snapshot snapshot;
};

captured capture(const char* label, const std::function<void(cudaStream_t)>& region,
                 unsigned stream_flags = cudaStreamNonBlocking) {
  captured out;
  cudaStream_t stream = nullptr;
  GPU_MUST(cudaStreamCreateWithFlags(&stream, stream_flags));
  GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  region(stream);
  GPU_MUST(cudaStreamEndCapture(stream, &out.graph));
  GPU_MUST(cudaStreamDestroy(stream));
  out.snapshot = read(out.graph, label);
  return out;
}

template <class T>
T* device(std::size_t count) {
  T* p = nullptr;
  GPU_MUST(cudaMalloc(&p, count * sizeof(T)));
  GPU_MUST(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

sl::known_range range(const char* name, const void* begin, std::size_t bytes, std::uint64_t generation = 1,
                      sl::memory_role role = sl::memory_role::persistent) {
  sl::known_range r;
  r.name = name;
  r.begin = reinterpret_cast<std::uint64_t>(begin);
  r.bytes = bytes;
  r.generation = generation;
  r.role = role;
  return r;
}

std::string codes(const sl::audit_result& result) {
  std::string out;
  for (const sl::audit_finding& f : result.findings) {
    out += (out.empty() ? "" : " ") + f.code + "=" + std::string(sl::name_of(f.verdict));
  }
  return out;
}

// Judges, prints, saves, and compares what was found with what had to be.
void expect(const std::string& name, const sl::graph_snapshot& graph, const sl::known_memory& known,
            const std::string& wanted, const sl::graph_snapshot* then = nullptr,
            const sl::graph_snapshot* other = nullptr) {
  sl::audit_options options;
  options.at_capture = then;
  const sl::audit_result result = sl::audit(graph, known, options);
  const bool good = codes(result) == wanted && !result.understood_nothing();
  std::printf("%s  %s: %s\n", good ? "ok    " : "FAILED", name.c_str(),
              wanted.empty() ? "silent" : wanted.c_str());
  if (!good) {
    ++gpu::failures;
    std::printf("  found '%s'\n%s%s", codes(result).c_str(), result.text().c_str(),
                sl::to_text(graph).c_str());
  }
  std::string expected = result.text();
  if (other != nullptr) expected += sl::compare_graphs(graph, *other, known, known).text();
  save(name + ".json", sl::to_json(graph));
  if (!known.ranges.empty()) save(name + ".known.json", known_json(known));
  if (then != nullptr) save(name + ".then.json", sl::to_json(*then));
  if (other != nullptr) save(name + ".other.json", sl::to_json(*other));
  save(name + ".expected", expected);
}

void expect_differences(const std::string& name, const sl::graph_difference& found,
                        const std::string& wanted) {
  std::string kinds;
  for (const sl::node_difference& d : found.differences)
    kinds += (kinds.empty() ? "" : ", ") + std::string(sl::name_of(d.kind));
  std::printf("%s  %s: %s\n", kinds == wanted ? "ok    " : "FAILED", name.c_str(),
              wanted.empty() ? "no difference" : wanted.c_str());
  if (kinds == wanted) return;
  ++gpu::failures;
  std::printf("%s", found.text().c_str());
}

constexpr int count = 1024;
constexpr std::size_t bytes = count * sizeof(float);
bool pageable_is_legal = false;  // then what nothing proves dead is only possible

struct buffers {
  float* in = device<float>(count);
  float* out = device<float>(count);
  sl::known_memory known;
  buffers() { known.ranges = {range("in", in, bytes), range("out", out, bytes)}; }
  void launch(cudaStream_t stream) const { scale<<<8, 128, 0, stream>>>(in, out, count, 2.0F); }
};

void persistent_buffers() {
  const buffers b;
  std::size_t first = 0;
  std::size_t last = 0;
  captured c = capture("persistent", [&](cudaStream_t s) {
    GPU_MUST(cudaMemsetAsync(b.out, 0, bytes, s));
    GPU_CHECK(sl::cuda::capture_position(s, first));
    b.launch(s);
    GPU_CHECK(sl::cuda::capture_position(s, last));
  });
  sl::attribute(c.snapshot, {{"scale_rows", first, last}});
  GPU_CHECK(first == 1 && last == 2);
  GPU_CHECK(c.snapshot.root.nodes.size() == 2 && c.snapshot.root.nodes[1].boundary == "scale_rows");
  GPU_CHECK(c.snapshot.root.nodes[1].kernel->parameters.size() == 4);
  GPU_CHECK(c.snapshot.root.nodes[1].kernel->demangled.find("scale(float const*, float*, int, float)") == 0);
  expect("persistent", c.snapshot, b.known, "");
  sl::known_memory half = b.known;
  half.ranges.pop_back();
  expect("unregistered", c.snapshot, half,
         "audit/unregistered-memory=violated audit/unregistered-memory=violated");
}

void allocation_in_capture() {
  const buffers b;
  const captured c = capture("malloc_async", [&](cudaStream_t s) {
    float* temporary = nullptr;
    GPU_MUST(cudaMallocAsync(&temporary, bytes, s));
    scale<<<8, 128, 0, s>>>(b.in, temporary, count, 2.0F);
    scale<<<8, 128, 0, s>>>(temporary, b.out, count, 2.0F);
    GPU_MUST(cudaFreeAsync(temporary, s));
  });
  expect("malloc_async", c.snapshot, b.known, "audit/allocation-node=violated");
}

void freed_after_capture() {
  buffers b;
  const captured c = capture("freed_after_capture", [&](cudaStream_t s) { b.launch(s); });
  expect("alive_after_capture", c.snapshot, b.known, "");
  GPU_MUST(cudaFree(b.out));
  sl::known_memory known = b.known;
  known.ranges.pop_back();
  sl::graph_snapshot now = read(c.graph, "freed_after_capture");
  expect("freed_after_capture", now, known, "audit/dangling-pointer=violated", &c.snapshot);
  expect("freed_found_alone", now, known,
         std::string("audit/dangling-pointer=") + (pageable_is_legal ? "possible" : "violated"));
}

void block_used_again() {
  buffers b;
  const captured c = capture("block_used_again", [&](cudaStream_t s) { b.launch(s); });
  sl::known_memory then = b.known;
  GPU_MUST(cudaFree(b.out));
  float* again = device<float>(count);
  if (again != b.out) {
    std::printf("ok      block_used_again: not shown, the driver gave another address\n");
    return;
  }
  sl::graph_snapshot now = read(c.graph, "block_used_again");
  expect("block_used_again", now, b.known, "audit/stale-owner=violated", &c.snapshot);
  sl::known_memory later = b.known;
  later.ranges.back().generation = 2;
  later.words = sl::record_owners(c.snapshot, then);
  expect("generation_changed", now, later, "audit/stale-owner=violated");
}

void host_sources() {
  const buffers b;
  static float constants[count];
  float* pinned = nullptr;
  GPU_MUST(cudaMallocHost(&pinned, bytes));
  float stack[64] = {};
  float* heap = static_cast<float*>(std::malloc(bytes));
  const captured from_stack = capture("stack_source", [&](cudaStream_t s) {
    GPU_MUST(cudaMemcpyAsync(b.in, stack, sizeof stack, cudaMemcpyHostToDevice, s));
    b.launch(s);
  });
  expect("stack_source", from_stack.snapshot, b.known, "audit/stack-copy=violated");
  const captured from_heap = capture("heap_source", [&](cudaStream_t s) {
    GPU_MUST(cudaMemcpyAsync(b.in, heap, bytes, cudaMemcpyHostToDevice, s));
  });
  expect("heap_source", from_heap.snapshot, b.known, "audit/pageable-copy=violated");
  const captured from_static = capture("static_source", [&](cudaStream_t s) {
    GPU_MUST(cudaMemcpyAsync(b.in, constants, bytes, cudaMemcpyHostToDevice, s));
  });
  expect("static_source", from_static.snapshot, b.known, "");
  const captured from_pinned = capture("pinned_source", [&](cudaStream_t s) {
    GPU_MUST(cudaMemcpyAsync(b.in, pinned, bytes, cudaMemcpyHostToDevice, s));
  });
  sl::known_memory known = b.known;
  known.ranges.push_back(range("staging", pinned, bytes, 1, sl::memory_role::host_buffer));
  expect("pinned_source", from_pinned.snapshot, known, "");
  expect("pinned_unregistered", from_pinned.snapshot, b.known, "audit/unregistered-memory=possible");
}

void fill_without_a_stream() {
  const buffers b;
  const captured bad = capture("stream_less_memset", [&](cudaStream_t s) {
    GPU_MUST(cudaMemset(b.out, 0, bytes));
    b.launch(s);
  });
  const captured good = capture("memset_on_stream", [&](cudaStream_t s) {
    GPU_MUST(cudaMemsetAsync(b.out, 0, bytes, s));
    b.launch(s);
  });
  GPU_CHECK(bad.snapshot.root.nodes.size() == 1);
  expect("memset_on_stream", good.snapshot, b.known, "", nullptr, &bad.snapshot);
  expect_differences("stream_less_memset", sl::compare_graphs(good.snapshot, bad.snapshot, b.known, b.known),
                     "only in the first capture");
}

void baked_scalar() {
  const buffers b;
  const auto with = [&](int n) {
    return capture("baked_scalar", [&](cudaStream_t s) { scale<<<8, 128, 0, s>>>(b.in, b.out, n, 2.0F); })
        .snapshot;
  };
  const sl::graph_snapshot first = with(66);
  const sl::graph_snapshot second = with(68);
  expect("baked_scalar", first, b.known, "", nullptr, &second);
  expect_differences("baked_scalar", sl::compare_graphs(first, second, b.known, b.known), "baked scalar");
  int* n = device<int>(1);
  const auto from_cell = [&](int value) {
    GPU_MUST(cudaMemcpy(n, &value, sizeof value, cudaMemcpyHostToDevice));
    return capture("scalar_in_memory",
                   [&](cudaStream_t s) { scale_by_cell<<<8, 128, 0, s>>>(b.in, b.out, n, 2.0F); })
        .snapshot;
  };
  sl::known_memory known = b.known;
  known.ranges.push_back(range("n", n, sizeof(int)));
  expect_differences("scalar_in_memory", sl::compare_graphs(from_cell(66), from_cell(68), known, known), "");
}

void temporary_address() {
  const buffers b;
  std::vector<float*> kept;  // so that the second capture gets another block
  const auto once = [&] {
    kept.push_back(device<float>(count));
    return capture("temporary",
                   [&](cudaStream_t s) { scale<<<8, 128, 0, s>>>(b.in, kept.back(), count, 2.0F); })
        .snapshot;
  };
  const sl::graph_snapshot first = once();
  const sl::graph_snapshot second = once();
  expect_differences("temporary_address", sl::compare_graphs(first, second, b.known, b.known),
                     "temporary address");
}

void struct_arguments() {
  const buffers b;
  float* unknown = device<float>(count);
  const captured c = capture(
      "struct_arguments", [&](cudaStream_t s) { by_struct<<<8, 128, 0, s>>>({42, b.in, unknown, count}); });
  expect("struct_arguments", c.snapshot, b.known, "audit/unregistered-memory=possible");
}

void stale_columns() {
  constexpr int rows = 8;
  constexpr int pitch = 64;
  constexpr int width = 48;
  int* in = device<int>(rows * pitch);
  int* out = device<int>(rows);
  const auto judged = [&](int read_width) {
    const captured c = capture(
        "stale_columns", [&](cudaStream_t s) { row_sums<<<rows, 1, 0, s>>>(in, pitch, read_width, out); });
    cudaGraphExec_t exec = nullptr;
    cudaStream_t stream = nullptr;
    GPU_MUST(cudaGraphInstantiate(&exec, c.graph, 0));
    GPU_MUST(cudaStreamCreate(&stream));
    sl::poison_plan plan;
    plan.poison = {{"stale columns", reinterpret_cast<std::uint64_t>(in + width), pitch * sizeof(int),
                    (pitch - width) * sizeof(int), rows}};
    plan.outputs = {{"sums", reinterpret_cast<std::uint64_t>(out), sizeof(int), sizeof(int), rows, rows - 2}};
    const sl::poison_report report = sl::poison_replay(plan, sl::cuda::poison_device_for(exec, stream));
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaStreamDestroy(stream));
    return report;
  };
  const sl::poison_report bounded = judged(width);
  const sl::poison_report whole = judged(pitch);
  const bool good = bounded.clean() && whole.failure.empty() && whole.read_poison.size() == rows - 2 &&
                    whole.dead_rows_changed == 2;
  std::printf("%s  stale_columns: a whole-row reader is found, a bounded one is clean\n",
              good ? "ok    " : "FAILED");
  if (!good) std::printf("%s%s", bounded.text().c_str(), whole.text().c_str());
  gpu::failures += good ? 0 : 1;
}

void every_kind_of_node() {
  const buffers b;
  cudaEvent_t event = nullptr;
  GPU_MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaGraph_t graph = nullptr;
  GPU_MUST(cudaGraphCreate(&graph, 0));
  cudaGraph_t child = capture("child", [&](cudaStream_t s) { b.launch(s); }).graph;
  cudaGraphNode_t node = nullptr;
  cudaGraphNode_t previous = nullptr;
  GPU_MUST(cudaGraphAddEmptyNode(&previous, graph, nullptr, 0));
  GPU_MUST(cudaGraphAddChildGraphNode(&node, graph, &previous, 1, child));
  GPU_MUST(cudaGraphAddEventRecordNode(&previous, graph, &node, 1, event));
  GPU_MUST(cudaGraphAddEventWaitNode(&node, graph, &previous, 1, event));
  int on_stack = 0;
  cudaHostNodeParams host{};
  host.fn = host_function;
  host.userData = &on_stack;
  GPU_MUST(cudaGraphAddHostNode(&previous, graph, &node, 1, &host));
  cudaGraphConditionalHandle handle{};
  GPU_MUST(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
  cudaGraphNodeParams conditional{};
  conditional.type = cudaGraphNodeTypeConditional;
  conditional.conditional.handle = handle;
  conditional.conditional.type = cudaGraphCondTypeIf;
  conditional.conditional.size = 1;
  const cudaError_t added = cudaGraphAddNode(&node, graph, &previous, nullptr, 1, &conditional);
  std::vector<sl::cuda::conditional_graphs> bodies;
  if (added == cudaSuccess) {
    cudaGraph_t body = conditional.conditional.phGraph_out[0];
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(nothing);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(1);
    cudaGraphNode_t inner = nullptr;
    GPU_MUST(cudaGraphAddKernelNode(&inner, body, nullptr, 0, &kernel));
    bodies.push_back({node, {body}});
  } else {
    std::printf("conditional node not added: %s\n", cudaGetErrorName(added));
    (void)cudaGetLastError();
  }
  const sl::graph_snapshot with = read(graph, "every_kind", bodies);
  const sl::graph_snapshot without = read(graph, "every_kind");
  GPU_CHECK(with.root.nodes.size() == 6);
  GPU_CHECK(with.root.edges.size() == 5);
  const sl::graph_node_kind kinds[] = {sl::graph_node_kind::empty,        sl::graph_node_kind::child_graph,
                                       sl::graph_node_kind::event_record, sl::graph_node_kind::event_wait,
                                       sl::graph_node_kind::host,         sl::graph_node_kind::conditional};
  for (std::size_t i = 0; i < with.root.nodes.size() && i < 6; ++i)
    GPU_CHECK(with.root.nodes[i].kind == kinds[i]);
  GPU_CHECK(sl::count_nodes(with.root) == 8);
  GPU_CHECK(with.root.nodes[5].bodies.size() == 1);
  std::printf("        conditional bodies: %s by this driver\n",
              without.root.nodes[5].bodies_known ? "opened" : "not told");
  expect("every_kind", with, b.known, "audit/host-data=violated");
  const sl::audit_result blind = sl::audit(without, b.known);
  GPU_CHECK(blind.counts.bodies_unknown == (without.root.nodes[5].bodies_known ? 0U : 1U));
}

void library_kernels() {
#ifdef HAS_CUBLAS_HEADER
  void* library = nullptr;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW);
  }
  if (library == nullptr) {
    std::printf("skipped cublas: libcublas could not be loaded\n");
    return;
  }
  const auto create = reinterpret_cast<decltype(&cublasCreate_v2)>(dlsym(library, "cublasCreate_v2"));
  const auto set_stream =
      reinterpret_cast<decltype(&cublasSetStream_v2)>(dlsym(library, "cublasSetStream_v2"));
  const auto set_workspace =
      reinterpret_cast<decltype(&cublasSetWorkspace_v2)>(dlsym(library, "cublasSetWorkspace_v2"));
  using gemm_function = cublasStatus_t (*)(
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*,
      cudaDataType, int, const void*, cudaDataType, int, const void*, void*, cudaDataType, int,
      cublasComputeType_t, cublasGemmAlgo_t);  // the header has overloads
  const auto gemm = reinterpret_cast<gemm_function>(dlsym(library, "cublasGemmEx"));
  if (create == nullptr || set_stream == nullptr || set_workspace == nullptr || gemm == nullptr) {
    std::printf("skipped cublas: functions are missing\n");
    return;
  }
  constexpr int n = 512;
  constexpr std::size_t matrix = std::size_t{n} * n * 2;
  constexpr std::size_t workspace_bytes = 32U << 20U;
  auto* a = device<unsigned short>(n * n);
  auto* x = device<unsigned short>(n * n);
  auto* y = device<unsigned short>(n * n);
  auto* workspace = device<unsigned char>(workspace_bytes);
  cublasHandle_t handle = nullptr;
  GPU_CHECK(create(&handle) == CUBLAS_STATUS_SUCCESS);
  const float one = 1.0F;
  const float zero = 0.0F;
  const auto multiply = [&](cudaStream_t s) {
    GPU_CHECK(set_stream(handle, s) == CUBLAS_STATUS_SUCCESS);
    GPU_CHECK(set_workspace(handle, workspace, workspace_bytes) == CUBLAS_STATUS_SUCCESS);
    GPU_CHECK(gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16BF, n, x, CUDA_R_16BF, n,
                   &zero, y, CUDA_R_16BF, n, CUBLAS_COMPUTE_32F,
                   CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  };
  cudaStream_t warm = nullptr;
  GPU_MUST(cudaStreamCreate(&warm));
  multiply(warm);
  GPU_MUST(cudaStreamSynchronize(warm));
  const captured c = capture("cublas", multiply);
  std::size_t extra = 0;
  std::size_t layouts = 0;
  std::size_t kernels = 0;
  sl::visit_nodes(c.snapshot.root, [&](const std::string&, const sl::graph_node& node) {
    if (!node.kernel) return;
    ++kernels;
    extra += node.kernel->source == sl::parameter_source::extra ? 1 : 0;
    layouts += node.kernel->layout_known ? 1 : 0;
    std::printf("        cublas: %s, %s, layout %s, %zu parameters, %zu packed bytes\n",
                node.kernel->demangled.c_str(), std::string(sl::name_of(node.kernel->source)).c_str(),
                node.kernel->layout_known ? "known" : "unknown", node.kernel->parameters.size(),
                node.kernel->packed.size());
    for (const sl::kernel_parameter& p : node.kernel->parameters)
      std::printf("          at %llu: %zu bytes\n", static_cast<unsigned long long>(p.offset),
                  p.bytes.size());
  });
  GPU_CHECK(kernels > 0);
  sl::known_memory known;
  known.ranges = {range("a", a, matrix), range("x", x, matrix), range("y", y, matrix),
                  range("cublas workspace", workspace, workspace_bytes)};
  const sl::audit_result all = sl::audit(c.snapshot, known);
  std::printf("        cublas, all registered: %s\n", all.summary().c_str());
  GPU_CHECK(all.worst() != audit_verdict::violated);
  sl::known_memory without_y = known;
  without_y.ranges.erase(without_y.ranges.begin() + 2);
  const sl::audit_result some = sl::audit(c.snapshot, without_y);
  std::printf("        cublas, output not registered: %s\n", codes(some).c_str());
  GPU_CHECK(!some.findings.empty());
  save("cublas.json", sl::to_json(c.snapshot));
  save("cublas.known.json", known_json(without_y));
  save("cublas.expected", some.text());
  std::printf("%s  cublas: %zu kernels, %zu with extra, %zu layouts known\n",
              extra > 0 || layouts > 0 ? "ok    " : "FAILED", kernels, extra, layouts);
#else
  std::printf("skipped cublas: no header\n");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  gpu::need_device();
  if (argc > 1) folder = argv[1];
  int pageable = 0;
  GPU_MUST(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  pageable_is_legal = pageable != 0;
  std::printf("%s; the device %s pageable memory\n", gpu::machine().c_str(),
              pageable_is_legal ? "reads" : "does not read");
  persistent_buffers();
  allocation_in_capture();
  freed_after_capture();
  block_used_again();
  host_sources();
  fill_without_a_stream();
  baked_scalar();
  temporary_address();
  struct_arguments();
  stale_columns();
  every_kind_of_node();
  library_kernels();
  GPU_CHECK(cudaDeviceSynchronize() == cudaSuccess);
  std::printf("%d failed\n", gpu::failures);
  return gpu::failures == 0 ? 0 : 1;
}
