// Which calls does this driver allow while a stream captures, and what does it say about pointers?
//
// For each call, in each capture mode, from the capturing thread and from another one: the return code, the status of the
// capture afterwards, the result of EndCapture, and how many nodes the call added. CSV to FILE.csv, or standard output.
// Every series runs in a child process; one that dies or hangs costs the call it was at, and the next child goes on
// behind it.
//
// usage: capture_probe [FOLDER]      writes FOLDER/capture_probe.csv and FOLDER/pointer_probe.csv
#include <cuda.h>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu_program.h"
#include "stridelock/cuda/graph_reader.h"

__global__ void touch(int* p) {
  *p = 1;
}
__global__ void never_launched_before(int* p) {
  *p = 2;
}
__global__ void never_asked_before(int* p) {
  *p = 3;
}
__device__ int symbol;
static void CUDART_CB host_function(void*) {}
static void CUDART_CB stream_callback(cudaStream_t, cudaError_t, void*) {}

namespace {

constexpr char tiny_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry tiny()\n{\n  ret;\n}\n";
constexpr std::size_t bytes = 4096;

// Driver functions by name, so that nothing links libcuda.
template <class Function>
Function* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}
#define TEXT_OF(symbol) #symbol
#define NAME_OF(symbol) TEXT_OF(symbol)
#define DRIVER(function) driver<std::remove_pointer_t<decltype(&::function)>>(NAME_OF(function))

int code_of(CUresult code) {
  return static_cast<int>(code);
}
int code_of(cudaError_t code) {
  return static_cast<int>(code);
}
constexpr int not_available = -100;

// What a call may use. Made before the capture begins, destroyed after it ended.
struct resources {
  cudaStream_t capturing = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t idle_event = nullptr;      // recorded and passed before the capture
  cudaEvent_t captured_event = nullptr;  // recorded in the capture
  cudaEvent_t fresh_event = nullptr;
  int* device = nullptr;
  int* second = nullptr;
  int* spare = nullptr;       // to be freed by the call
  int* pool_spare = nullptr;  // from the default pool
  int* managed = nullptr;
  void* pinned = nullptr;
  void* pinned_spare = nullptr;
  char* pageable = nullptr;
  cudaStream_t stream_spare = nullptr;
  cudaEvent_t event_spare = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraph_t graph_spare = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphExec_t exec_spare = nullptr;
  CUmodule module_spare = nullptr;
  CUdeviceptr reserved = 0;
  CUmemGenericAllocationHandle memory = 0;
  std::size_t granularity = 0;
  char stack[256] = {};
};

struct probe {
  const char* name;
  std::function<int(resources&)> call;
  bool blocking = false;  // the capturing stream synchronises with the legacy stream
};

CUmemAllocationProp pinned_on_device() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  return properties;
}

#define CALL(expression)        \
  [](resources& r) {            \
    (void)r;                    \
    return code_of(expression); \
  }

std::vector<probe> probes() {
  std::vector<probe> all = {
      // ---- allocation
      {"cudaMalloc", [](resources&) { void* p = nullptr; return code_of(cudaMalloc(&p, bytes)); }},
      {"cudaMallocManaged", [](resources&) { void* p = nullptr; return code_of(cudaMallocManaged(&p, bytes)); }},
      {"cudaMallocHost", [](resources&) { void* p = nullptr; return code_of(cudaMallocHost(&p, bytes)); }},
      {"cudaHostAlloc", [](resources&) { void* p = nullptr; return code_of(cudaHostAlloc(&p, bytes, cudaHostAllocMapped)); }},
      {"cudaMallocPitch", [](resources&) { void* p = nullptr; size_t pitch = 0; return code_of(cudaMallocPitch(&p, &pitch, 100, 10)); }},
      {"cuMemAlloc", [](resources&) { CUdeviceptr p = 0; return code_of(DRIVER(cuMemAlloc)(&p, bytes)); }},
      {"cudaMallocAsync (capturing stream)", [](resources& r) { void* p = nullptr; return code_of(cudaMallocAsync(&p, bytes, r.capturing)); }},
      {"cudaMallocAsync (other stream)", [](resources& r) { void* p = nullptr; return code_of(cudaMallocAsync(&p, bytes, r.other)); }},
      {"cudaFreeAsync (capturing stream; memory of before)", CALL(cudaFreeAsync(r.pool_spare, r.capturing))},
      {"cudaFreeAsync (other stream)", CALL(cudaFreeAsync(r.pool_spare, r.other))},
      {"cudaFree", CALL(cudaFree(r.spare))},
      {"cudaFreeHost", CALL(cudaFreeHost(r.pinned_spare))},
      {"cudaHostRegister", CALL(cudaHostRegister(r.pageable, bytes, cudaHostRegisterDefault))},
      {"cudaMemGetInfo", [](resources&) { size_t a = 0, b = 0; return code_of(cudaMemGetInfo(&a, &b)); }},
      {"cuMemAddressReserve", [](resources& r) { CUdeviceptr p = 0; return code_of(DRIVER(cuMemAddressReserve)(&p, r.granularity, 0, 0, 0)); }},
      {"cuMemCreate", [](resources& r) { CUmemGenericAllocationHandle h = 0; const CUmemAllocationProp p = pinned_on_device(); return code_of(DRIVER(cuMemCreate)(&h, r.granularity, &p, 0)); }},
      {"cuMemMap", CALL(DRIVER(cuMemMap)(r.reserved, r.granularity, 0, r.memory, 0))},
      {"cudaMemPoolTrimTo", [](resources&) { cudaMemPool_t pool = nullptr; cudaDeviceGetDefaultMemPool(&pool, 0); return code_of(cudaMemPoolTrimTo(pool, 0)); }},
      {"cudaIpcGetMemHandle", [](resources& r) { cudaIpcMemHandle_t h; return code_of(cudaIpcGetMemHandle(&h, r.device)); }},
      // ---- waiting and asking
      {"cudaStreamSynchronize (capturing stream)", CALL(cudaStreamSynchronize(r.capturing))},
      {"cudaStreamSynchronize (other stream)", CALL(cudaStreamSynchronize(r.other))},
      {"cudaStreamQuery (capturing stream)", CALL(cudaStreamQuery(r.capturing))},
      {"cudaStreamQuery (other stream)", CALL(cudaStreamQuery(r.other))},
      {"cudaDeviceSynchronize", CALL(cudaDeviceSynchronize())},
      {"cuCtxSynchronize", CALL(DRIVER(cuCtxSynchronize)())},
      {"cudaEventSynchronize (event of before)", CALL(cudaEventSynchronize(r.idle_event))},
      {"cudaEventSynchronize (captured event)", CALL(cudaEventSynchronize(r.captured_event))},
      {"cudaEventQuery (event of before)", CALL(cudaEventQuery(r.idle_event))},
      {"cudaEventQuery (captured event)", CALL(cudaEventQuery(r.captured_event))},
      {"cudaEventRecord (other stream)", CALL(cudaEventRecord(r.fresh_event, r.other))},
      {"cudaEventRecordWithFlags (external)", CALL(cudaEventRecordWithFlags(r.fresh_event, r.capturing, cudaEventRecordExternal))},
      {"cudaStreamWaitEvent (event of before)", CALL(cudaStreamWaitEvent(r.capturing, r.idle_event, 0))},
      {"cudaStreamWaitEvent (event of before; external)", CALL(cudaStreamWaitEvent(r.capturing, r.idle_event, cudaEventWaitExternal))},
      {"cudaStreamWaitEvent (fork that is not joined)", CALL(cudaStreamWaitEvent(r.other, r.captured_event, 0))},
      {"cudaStreamIsCapturing (legacy stream)", [](resources&) { cudaStreamCaptureStatus s; return code_of(cudaStreamIsCapturing(cudaStreamLegacy, &s)); }},
      {"cudaStreamIsCapturing (legacy stream)", [](resources&) { cudaStreamCaptureStatus s; return code_of(cudaStreamIsCapturing(cudaStreamLegacy, &s)); }, true},
      // ---- copies, fills, launches
      {"cudaMemset", CALL(cudaMemset(r.device, 0, bytes))},
      {"cudaMemset", CALL(cudaMemset(r.device, 0, bytes)), true},
      {"cudaMemsetAsync (capturing stream)", CALL(cudaMemsetAsync(r.device, 0, bytes, r.capturing))},
      {"cudaMemsetAsync (other stream)", CALL(cudaMemsetAsync(r.device, 0, bytes, r.other))},
      {"cudaMemcpy (device to device)", CALL(cudaMemcpy(r.device, r.second, bytes, cudaMemcpyDeviceToDevice))},
      {"cudaMemcpy (device to device)", CALL(cudaMemcpy(r.device, r.second, bytes, cudaMemcpyDeviceToDevice)), true},
      {"cudaMemcpy (host to device)", CALL(cudaMemcpy(r.device, r.pageable, bytes, cudaMemcpyHostToDevice))},
      {"cudaMemcpy (host to device)", CALL(cudaMemcpy(r.device, r.pageable, bytes, cudaMemcpyHostToDevice)), true},
      {"cudaMemcpy (device to host)", CALL(cudaMemcpy(r.pageable, r.device, bytes, cudaMemcpyDeviceToHost))},
      {"cudaMemcpyAsync (device to device)", CALL(cudaMemcpyAsync(r.device, r.second, bytes, cudaMemcpyDeviceToDevice, r.capturing))},
      {"cudaMemcpyAsync (pageable to device)", CALL(cudaMemcpyAsync(r.device, r.pageable, bytes, cudaMemcpyHostToDevice, r.capturing))},
      {"cudaMemcpyAsync (stack to device)", CALL(cudaMemcpyAsync(r.device, r.stack, sizeof r.stack, cudaMemcpyHostToDevice, r.capturing))},
      {"cudaMemcpyAsync (pinned to device)", CALL(cudaMemcpyAsync(r.device, r.pinned, bytes, cudaMemcpyHostToDevice, r.capturing))},
      {"cudaMemcpyAsync (device to pageable)", CALL(cudaMemcpyAsync(r.pageable, r.device, bytes, cudaMemcpyDeviceToHost, r.capturing))},
      {"cudaMemcpyAsync (other stream)", CALL(cudaMemcpyAsync(r.device, r.second, bytes, cudaMemcpyDeviceToDevice, r.other))},
#if CUDART_VERSION >= 13000
      {"cudaMemcpyBatchAsync (capturing stream)", [](resources& r) {
         const void* from[] = {r.second};
         void* to[] = {r.device};
         std::size_t sizes[] = {bytes};
         std::size_t attribute_of[] = {0};
         cudaMemcpyAttributes attributes{};
         attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
         return code_of(cudaMemcpyBatchAsync(to, from, sizes, 1, &attributes, attribute_of, 1, r.capturing));
       }},
#endif
      {"cudaMemcpyToSymbol", [](resources& r) { return code_of(cudaMemcpyToSymbol(symbol, r.stack, sizeof(int))); }},
      {"cudaMemcpyToSymbolAsync (capturing stream)", [](resources& r) { return code_of(cudaMemcpyToSymbolAsync(symbol, r.stack, sizeof(int), 0, cudaMemcpyHostToDevice, r.capturing)); }},
      {"kernel launch (capturing stream)", [](resources& r) { touch<<<1, 1, 0, r.capturing>>>(r.device); return code_of(cudaGetLastError()); }},
      {"kernel launch (other stream)", [](resources& r) { touch<<<1, 1, 0, r.other>>>(r.device); return code_of(cudaGetLastError()); }},
      {"kernel launch (legacy stream)", [](resources& r) { touch<<<1, 1>>>(r.device); return code_of(cudaGetLastError()); }},
      {"kernel launch (legacy stream)", [](resources& r) { touch<<<1, 1>>>(r.device); return code_of(cudaGetLastError()); }, true},
      {"first launch of a kernel (capturing stream)", [](resources& r) { never_launched_before<<<1, 1, 0, r.capturing>>>(r.device); return code_of(cudaGetLastError()); }},
      {"cudaLaunchHostFunc (capturing stream)", CALL(cudaLaunchHostFunc(r.capturing, host_function, nullptr))},
      {"cudaStreamAddCallback (capturing stream)", CALL(cudaStreamAddCallback(r.capturing, stream_callback, nullptr, 0))},
      {"cudaStreamAttachMemAsync (capturing stream)", CALL(cudaStreamAttachMemAsync(r.capturing, r.managed, 0, cudaMemAttachGlobal))},
      // ---- graphs
      {"cudaGraphLaunch (capturing stream)", CALL(cudaGraphLaunch(r.exec, r.capturing))},
      {"cudaGraphLaunch (other stream)", CALL(cudaGraphLaunch(r.exec, r.other))},
      {"cudaGraphInstantiate", [](resources& r) { cudaGraphExec_t e = nullptr; return code_of(cudaGraphInstantiate(&e, r.graph, 0)); }},
      {"cudaGraphDestroy", CALL(cudaGraphDestroy(r.graph_spare))},
      {"cudaGraphExecDestroy", CALL(cudaGraphExecDestroy(r.exec_spare))},
      {"cudaStreamBeginCapture (capturing stream)", CALL(cudaStreamBeginCapture(r.capturing, cudaStreamCaptureModeRelaxed))},
      // ---- modules, handles, attributes
      {"cuModuleLoadData", [](resources&) { CUmodule m = nullptr; return code_of(DRIVER(cuModuleLoadData)(&m, tiny_ptx)); }},
      {"cuModuleUnload", CALL(DRIVER(cuModuleUnload)(r.module_spare))},
      {"cuLibraryLoadData", [](resources&) { CUlibrary l = nullptr; return code_of(DRIVER(cuLibraryLoadData)(&l, tiny_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0)); }},
      {"cudaFuncGetAttributes (first use of a kernel)", [](resources&) { cudaFuncAttributes a; return code_of(cudaFuncGetAttributes(&a, never_asked_before)); }},
      {"cudaFuncSetAttribute", [](resources&) { return code_of(cudaFuncSetAttribute(touch, cudaFuncAttributePreferredSharedMemoryCarveout, 0)); }},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", [](resources&) { int n = 0; return code_of(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, touch, 128, 0)); }},
      {"cudaStreamCreate", [](resources&) { cudaStream_t s = nullptr; return code_of(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); }},
      {"cudaStreamDestroy", CALL(cudaStreamDestroy(r.stream_spare))},
      {"cudaEventCreate", [](resources&) { cudaEvent_t e = nullptr; return code_of(cudaEventCreate(&e)); }},
      {"cudaEventDestroy", CALL(cudaEventDestroy(r.event_spare))},
      {"cudaStreamGetPriority (capturing stream)", [](resources& r) { int p = 0; return code_of(cudaStreamGetPriority(r.capturing, &p)); }},
      {"cudaStreamGetId (capturing stream)", [](resources& r) { unsigned long long id = 0; return code_of(cudaStreamGetId(r.capturing, &id)); }},
      {"cudaStreamGetDevice (capturing stream)", [](resources& r) { int d = 0; return code_of(cudaStreamGetDevice(r.capturing, &d)); }},
      {"cudaGetDeviceProperties", [](resources&) { cudaDeviceProp p; return code_of(cudaGetDeviceProperties(&p, 0)); }},
      {"cudaPointerGetAttributes", [](resources& r) { cudaPointerAttributes a; return code_of(cudaPointerGetAttributes(&a, r.device)); }},
      {"cuPointerGetAttributes", [](resources& r) {
         CUpointer_attribute a[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_BUFFER_ID};
         unsigned long long v[2] = {};
         void* t[] = {&v[0], &v[1]};
         return code_of(DRIVER(cuPointerGetAttributes)(2, a, t, reinterpret_cast<CUdeviceptr>(r.device)));
       }},
  };
  return all;
}

struct series {
  cudaStreamCaptureMode mode;
  const char* mode_name;
  bool other_thread;
};
constexpr series all_series[] = {
    {cudaStreamCaptureModeGlobal, "global", false},
    {cudaStreamCaptureModeGlobal, "global", true},
    {cudaStreamCaptureModeThreadLocal, "thread_local", false},
    {cudaStreamCaptureModeThreadLocal, "thread_local", true},
    {cudaStreamCaptureModeRelaxed, "relaxed", false},
    {cudaStreamCaptureModeRelaxed, "relaxed", true},
};

const char* status_name(cudaStreamCaptureStatus status) {
  switch (status) {
    case cudaStreamCaptureStatusNone:
      return "none";
    case cudaStreamCaptureStatusActive:
      return "active";
    case cudaStreamCaptureStatusInvalidated:
      return "invalidated";
  }
  return "unknown";
}

// The runtime's and the driver's numbers agree where both have the error.
std::string code_name(int code) {
  if (code == not_available) return "not available";
  return cudaGetErrorName(static_cast<cudaError_t>(code));
}

void prepare(resources& r, bool blocking) {
  GPU_MUST(cudaStreamCreateWithFlags(&r.capturing, blocking ? cudaStreamDefault : cudaStreamNonBlocking));
  GPU_MUST(cudaStreamCreateWithFlags(&r.other, cudaStreamNonBlocking));
  GPU_MUST(cudaStreamCreateWithFlags(&r.stream_spare, cudaStreamNonBlocking));
  for (cudaEvent_t* e : {&r.idle_event, &r.captured_event, &r.fresh_event, &r.event_spare})
    GPU_MUST(cudaEventCreate(e));
  for (int** p : {&r.device, &r.second, &r.spare}) GPU_MUST(cudaMalloc(p, bytes));
  GPU_MUST(cudaMallocAsync(&r.pool_spare, bytes, r.other));
  GPU_MUST(cudaMallocManaged(&r.managed, bytes));
  GPU_MUST(cudaMallocHost(&r.pinned, bytes));
  GPU_MUST(cudaMallocHost(&r.pinned_spare, bytes));
  r.pageable = static_cast<char*>(std::calloc(1, bytes));
  GPU_MUST(cudaEventRecord(r.idle_event, r.other));
  for (cudaGraph_t* g : {&r.graph, &r.graph_spare}) {
    GPU_MUST(cudaGraphCreate(g, 0));
    cudaKernelNodeParams kernel{};
    void* arguments[] = {&r.device};
    kernel.func = reinterpret_cast<void*>(touch);
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    GPU_MUST(cudaGraphAddKernelNode(&node, *g, nullptr, 0, &kernel));
  }
  for (cudaGraphExec_t* e : {&r.exec, &r.exec_spare}) GPU_MUST(cudaGraphInstantiate(e, r.graph, 0));
  DRIVER(cuModuleLoadData)(&r.module_spare, tiny_ptx);
  const CUmemAllocationProp properties = pinned_on_device();
  DRIVER(cuMemGetAllocationGranularity)(&r.granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  DRIVER(cuMemAddressReserve)(&r.reserved, r.granularity, 0, 0, 0);
  DRIVER(cuMemCreate)(&r.memory, r.granularity, &properties, 0);
  GPU_MUST(cudaDeviceSynchronize());
}

// What a call did not destroy goes now; errors do not matter, what is left ends with the process.
void discard(resources& r) {
  for (cudaStream_t s : {r.capturing, r.other}) cudaStreamDestroy(s);
  for (cudaEvent_t e : {r.idle_event, r.captured_event, r.fresh_event}) cudaEventDestroy(e);
  for (int* p : {r.device, r.second, r.managed}) cudaFree(p);
  cudaFreeHost(r.pinned);
  cudaGraphDestroy(r.graph);
  cudaGraphExecDestroy(r.exec);
}

// One line of the CSV; false: the process is of no more use.
bool run_probe(const probe& p, const series& s, std::FILE* out) {
  resources r;
  prepare(r, p.blocking);
  GPU_MUST(cudaStreamBeginCapture(r.capturing, s.mode));
  touch<<<1, 1, 0, r.capturing>>>(r.device);
  GPU_MUST(cudaEventRecord(r.captured_event, r.capturing));
  int code = not_available;
  if (s.other_thread) {
    std::thread([&] {
      (void)cudaSetDevice(0);  // driver calls need a current context
      code = p.call(r);
      (void)cudaGetLastError();
    }).join();
  } else {
    code = p.call(r);
    (void)cudaGetLastError();
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t asked = cudaStreamIsCapturing(r.capturing, &status);
  (void)cudaGetLastError();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(r.capturing, &graph);
  (void)cudaGetLastError();
  std::string added = "none";
  if (graph != nullptr) {
    std::size_t nodes = 0;
    if (cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess)
      added = std::to_string(static_cast<long>(nodes) - 1);
    cudaGraphDestroy(graph);
  }
  std::fprintf(out, "%s,%s,%s,%s,%d,%s,%s,%d,%s,%s\n", p.name, s.mode_name, s.other_thread ? "other" : "same",
               p.blocking ? "blocking" : "non_blocking", code, code_name(code).c_str(),
               asked == cudaSuccess ? status_name(status) : cudaGetErrorName(asked), static_cast<int>(ended),
               cudaGetErrorName(ended), added.c_str());
  std::fflush(out);
  discard(r);
  (void)cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

// ---- processes -------------------------------------------------------------------------------------------------------

// Runs `body` in a child and gives back what it wrote; empty lines are progress marks. Killed after `seconds` of silence.
std::string in_child(const std::function<void(std::FILE*)>& body, int seconds, bool& died) {
  // One at a time: a child that inherited the writing end of another's pipe would keep that one open.
  static std::mutex one_fork;
  std::unique_lock<std::mutex> lock(one_fork);
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::FILE* out = fdopen(ends[1], "w");
    body(out);
    std::fclose(out);
    std::fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  lock.unlock();
  std::string text;
  died = false;
  for (;;) {
    pollfd wait{ends[0], POLLIN, 0};
    if (poll(&wait, 1, seconds * 1000) == 0) {
      kill(child, SIGKILL);
      died = true;
      break;
    }
    char buffer[4096];
    const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  died |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return text;
}

std::string run_series(const series& s) {
  const std::vector<probe> all = probes();
  std::string text;
  for (std::size_t next = 0; next < all.size();) {
    bool died = false;
    const std::size_t first = next;
    const std::string lines = in_child(
        [&](std::FILE* out) {
          for (std::size_t i = first; i < all.size(); ++i) {
            if (!run_probe(all[i], s, out)) return;
          }
        },
        20, died);
    for (const char c : lines) next += c == '\n' ? 1 : 0;
    text += lines;
    if (next >= all.size()) break;
    if (died ||
        next == first) {  // the call at which it died; without any progress too, or this would not end
      text += std::string(all[next].name) + "," + s.mode_name + "," + (s.other_thread ? "other" : "same") +
              "," + (all[next].blocking ? "blocking" : "non_blocking") + ",,died,,,,\n";
      ++next;
    }
  }
  return text;
}

// ---- pointers --------------------------------------------------------------------------------------------------------

void describe(std::FILE* out, const char* name, const void* pointer) {
  stridelock::graph_snapshot snapshot;
  stridelock::address_facts facts;
  facts.address = reinterpret_cast<std::uint64_t>(pointer);
  snapshot.addresses = {facts};
  const std::string failure = stridelock::cuda::refresh_addresses(snapshot);
  const stridelock::address_facts& f = snapshot.addresses[0];
  static std::vector<std::uint64_t>
      seen;  // buffer ids by order of appearance: their values differ from run to run
  std::string buffer = "none";
  if (f.buffer_id != 0) {
    std::size_t i = 0;
    while (i < seen.size() && seen[i] != f.buffer_id) ++i;
    if (i == seen.size()) seen.push_back(f.buffer_id);
    buffer = "b" + std::to_string(i + 1);
  }
  std::fprintf(out, "%s,%s,%s,%llu,%s,%s,%s\n", name,
               failure.empty() ? std::string(stridelock::name_of(f.kind)).c_str() : failure.c_str(),
               std::string(stridelock::name_of(f.storage)).c_str(),
               static_cast<unsigned long long>(f.range_bytes), buffer.c_str(),
               f.mapped ? (*f.mapped ? "mapped" : "unmapped") : "not told", f.from_pool ? "pool" : "no pool");
  std::fflush(out);
}

void probe_pointers(std::FILE* out) {
  // Memory of another process, before this one starts CUDA: a child may not use what its parent began.
  int to_parent[2];
  int to_child[2];
  pid_t exporter = -1;
  cudaIpcMemHandle_t handle{};
  if (pipe(to_parent) == 0 && pipe(to_child) == 0) {
    exporter = fork();
    if (exporter == 0) {
      close(to_child[1]);  // so that the end of its parent ends it too
      void* p = nullptr;
      char stop = 0;
      if (cudaMalloc(&p, 1 << 20) == cudaSuccess && cudaIpcGetMemHandle(&handle, p) == cudaSuccess) {
        if (write(to_parent[1], &handle, sizeof handle) < 0) _exit(1);
        if (::read(to_child[0], &stop, 1) < 0) _exit(1);
      }
      _exit(0);
    }
    close(to_parent[1]);
  }

  char* p = nullptr;
  GPU_MUST(cudaMalloc(&p, 1 << 20));
  describe(out, "cudaMalloc", p + 256);
  GPU_MUST(cudaFree(p));
  describe(out, "cudaMalloc; freed", p + 256);
  char* again = nullptr;
  GPU_MUST(cudaMalloc(&again, 1 << 20));
  describe(out,
           again == p ? "cudaMalloc; freed; same address taken again" : "cudaMalloc; freed; another address",
           again + 256);
  char* small = nullptr;
  GPU_MUST(cudaMalloc(&small, 256));
  describe(out, "cudaMalloc of 256 bytes", small);
  GPU_MUST(cudaFree(small));
  describe(out, "cudaMalloc of 256 bytes; freed", small);

  cudaStream_t stream = nullptr;
  GPU_MUST(cudaStreamCreate(&stream));
  char* pool = nullptr;
  GPU_MUST(cudaMallocAsync(&pool, 1 << 20, stream));
  GPU_MUST(cudaStreamSynchronize(stream));
  describe(out, "cudaMallocAsync", pool);
  GPU_MUST(cudaFreeAsync(pool, stream));
  describe(out, "cudaMallocAsync; freed; not synchronised", pool);
  GPU_MUST(cudaStreamSynchronize(stream));
  describe(out, "cudaMallocAsync; freed; synchronised", pool);
  char* pool_again = nullptr;
  GPU_MUST(cudaMallocAsync(&pool_again, 1 << 20, stream));
  GPU_MUST(cudaStreamSynchronize(stream));
  describe(out,
           pool_again == pool ? "cudaMallocAsync; freed; same address taken again"
                              : "cudaMallocAsync; freed; another address",
           pool_again);

  char* managed = nullptr;
  GPU_MUST(cudaMallocManaged(&managed, 1 << 20));
  describe(out, "cudaMallocManaged", managed);
  char* pinned = nullptr;
  GPU_MUST(cudaMallocHost(&pinned, 1 << 20));
  describe(out, "cudaMallocHost", pinned);
  GPU_MUST(cudaFreeHost(pinned));
  describe(out, "cudaMallocHost; freed", pinned);
  char* heap = static_cast<char*>(aligned_alloc(4096, 1 << 20));
  std::memset(heap, 0, 1 << 20);
  describe(out, "malloc", heap);
  GPU_MUST(cudaHostRegister(heap, 1 << 20, cudaHostRegisterDefault));
  describe(out, "malloc; registered", heap);
  GPU_MUST(cudaHostUnregister(heap));
  describe(out, "malloc; unregistered", heap);
  char stack[64] = {};
  describe(out, "stack", stack);
  describe(out, "static storage", tiny_ptx);

  const CUmemAllocationProp properties = pinned_on_device();
  std::size_t size = 0;
  CUdeviceptr reserved = 0;
  CUmemGenericAllocationHandle first = 0;
  CUmemGenericAllocationHandle second = 0;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  bool mapped = DRIVER(cuMemGetAllocationGranularity)(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
                    CUDA_SUCCESS &&
                DRIVER(cuMemAddressReserve)(&reserved, 4 * size, 0, 0, 0) == CUDA_SUCCESS &&
                DRIVER(cuMemCreate)(&first, size, &properties, 0) == CUDA_SUCCESS &&
                DRIVER(cuMemCreate)(&second, size, &properties, 0) == CUDA_SUCCESS;
  GPU_CHECK(mapped);
  const auto* virtual_memory = reinterpret_cast<const char*>(reserved);
  if (mapped) {
    describe(out, "virtual memory; reserved", virtual_memory);
    GPU_CHECK(DRIVER(cuMemMap)(reserved, size, 0, first, 0) == CUDA_SUCCESS);
    describe(out, "virtual memory; mapped; no access set", virtual_memory);
    GPU_CHECK(DRIVER(cuMemSetAccess)(reserved, size, &access, 1) == CUDA_SUCCESS);
    describe(out, "virtual memory; mapped", virtual_memory);
    describe(out, "virtual memory; beyond what is mapped", virtual_memory + size);
    GPU_CHECK(DRIVER(cuMemUnmap)(reserved, size) == CUDA_SUCCESS);
    describe(out, "virtual memory; unmapped", virtual_memory);
    GPU_CHECK(DRIVER(cuMemMap)(reserved, size, 0, first, 0) == CUDA_SUCCESS &&
              DRIVER(cuMemSetAccess)(reserved, size, &access, 1) == CUDA_SUCCESS);
    describe(out, "virtual memory; the same memory mapped again", virtual_memory);
    GPU_CHECK(DRIVER(cuMemUnmap)(reserved, size) == CUDA_SUCCESS &&
              DRIVER(cuMemMap)(reserved, size, 0, second, 0) == CUDA_SUCCESS &&
              DRIVER(cuMemSetAccess)(reserved, size, &access, 1) == CUDA_SUCCESS);
    describe(out, "virtual memory; other memory mapped", virtual_memory);
    GPU_CHECK(DRIVER(cuMemUnmap)(reserved, size) == CUDA_SUCCESS &&
              DRIVER(cuMemAddressFree)(reserved, 4 * size) == CUDA_SUCCESS);
    describe(out, "virtual memory; addresses freed", virtual_memory);
  }

  cudaGraph_t graph = nullptr;
  void* own = nullptr;
  GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  GPU_MUST(cudaMallocAsync(&own, 1 << 20, stream));
  touch<<<1, 1, 0, stream>>>(static_cast<int*>(own));
  GPU_MUST(cudaFreeAsync(own, stream));
  GPU_MUST(cudaStreamEndCapture(stream, &graph));
  describe(out, "allocation node; captured", own);
  cudaGraphExec_t exec = nullptr;
  GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
  describe(out, "allocation node; instantiated", own);
  GPU_MUST(cudaGraphLaunch(exec, stream));
  GPU_MUST(cudaStreamSynchronize(stream));
  describe(out, "allocation node; launched", own);
  GPU_MUST(cudaGraphExecDestroy(exec));
  GPU_MUST(cudaGraphDestroy(graph));
  describe(out, "allocation node; graph destroyed", own);

  if (exporter > 0 && ::read(to_parent[0], &handle, sizeof handle) == static_cast<ssize_t>(sizeof handle)) {
    void* imported = nullptr;
    const cudaError_t opened = cudaIpcOpenMemHandle(&imported, handle, cudaIpcMemLazyEnablePeerAccess);
    if (opened == cudaSuccess) {
      describe(out, "memory of another process", imported);
      GPU_MUST(cudaIpcCloseMemHandle(imported));
      describe(out, "memory of another process; closed", imported);
    } else {
      std::fprintf(out, "memory of another process,%s,,,,,\n", cudaGetErrorName(opened));
    }
    (void)cudaGetLastError();
  }
  if (exporter > 0) {
    if (write(to_child[1], "x", 1) < 0) kill(exporter, SIGKILL);
    waitpid(exporter, nullptr, 0);
  }

  // From a second thread while this one captures in global mode.
  char* live = nullptr;
  GPU_MUST(cudaMalloc(&live, 1 << 20));
  GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::thread([&] { describe(out, "asked by a second thread during a global capture", live); }).join();
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  std::fprintf(out, "the capture after that,%s,,,,,\n", status_name(status));
  GPU_MUST(cudaStreamEndCapture(stream, &graph));
}

void write_file(const std::string& folder, const char* name, const std::string& text) {
  std::FILE* file = folder.empty() ? stdout : std::fopen((folder + "/" + name).c_str(), "wb");
  if (file == nullptr) {
    std::printf("FAILED: cannot write %s/%s\n", folder.c_str(), name);
    ++gpu::failures;
    return;
  }
  std::fwrite(text.data(), 1, text.size(), file);
  if (file != stdout) std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "";
  // This process never starts CUDA itself: a forked child could not use it then.
  bool died = false;
  const std::string machine = in_child(
      [](std::FILE* out) {
        int count = 0;
        const cudaError_t code = cudaGetDeviceCount(&count);
        if (code != cudaSuccess || count == 0) {
          std::fprintf(out, "no device: %s", cudaGetErrorName(code));
        } else {
          std::fprintf(out, "%s", gpu::machine().c_str());
        }
      },
      60, died);
  if (died || machine.empty() || machine.rfind("no device", 0) == 0) {
    std::printf("skipped: no CUDA device: %s\n", machine.c_str());
    return 77;
  }
  const std::string header = "# measured on " + machine + "\n";

  std::string rows[std::size(all_series)];
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::size(all_series); ++i)
    threads.emplace_back([&rows, i] { rows[i] = run_series(all_series[i]); });
  for (std::thread& t : threads) t.join();
  std::string calls =
      header +
      "call,mode,thread,capturing_stream,code,code_name,status_after,end_code,end_name,nodes_added\n";
  std::size_t deaths = 0;
  std::size_t lines = 0;
  for (const std::string& text : rows) {
    calls += text;
    for (std::size_t at = 0; (at = text.find(",died,", at)) != std::string::npos; ++at) ++deaths;
    for (const char c : text) lines += c == '\n' ? 1 : 0;
  }
  write_file(folder, "capture_probe.csv", calls);

  const std::string pointers = in_child(probe_pointers, 30, died);
  write_file(folder, "pointer_probe.csv",
             header + "pointer,kind,host_storage,range_bytes,buffer,mapped,pool\n" + pointers);

  const std::size_t wanted = probes().size() * std::size(all_series);
  std::printf("%s: %zu calls x %zu, %zu rows, %zu died; pointers: %s\n", machine.c_str(), probes().size(),
              std::size(all_series), lines, deaths, died ? "FAILED" : "done");
  return lines == wanted && !died ? 0 : 1;
}
