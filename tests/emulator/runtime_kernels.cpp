// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, kernels and launches.
#include "runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emulator {
namespace {

struct loaded_module {
  void const* image = nullptr;
  module_text text;
  addresses globals;
  bool ready = false;

  void load();
  void initialise(variable const& v);
};

struct kernel_entry {
  loaded_module* module = nullptr;
  std::string name;
  std::unique_ptr<program> decoded;
  int dynamic_bytes_at_most = shared_bytes_per_block;
  bool large_clusters = false;

  program const& get() {
    if (!decoded) {
      module->load();
      decoded = decode(module->text, name, module->globals);
    }
    return *decoded;
  }
};

struct symbol_entry {
  loaded_module* module = nullptr;
  std::string name;
  std::size_t bytes = 0;
};

struct registry {
  std::vector<std::unique_ptr<loaded_module>> modules;
  std::unordered_map<void const*, kernel_entry> kernels;
  std::unordered_map<void const*, symbol_entry> symbols;
};
registry& all() {
  static auto& r = *new registry;
  return r;
}

/// The PTX in a fat binary.
std::string ptx_of(void const* fat_binary) {
  auto const* const image = static_cast<std::byte const*>(fat_binary);
  auto const at = [&]<class T>(std::size_t offset, T) {
    T x;
    std::memcpy(&x, image + offset, sizeof x);
    return x;
  };
  std::size_t offset = at(6, std::uint16_t{});
  auto const end = offset + at(8, std::uint64_t{});
  while (offset < end) {
    auto const what = at(offset, std::uint16_t{});
    auto const header = at(offset + 4, std::uint32_t{});
    auto const bytes = at(offset + 8, std::uint64_t{});
    if (what == 1) {
      auto const* const text = reinterpret_cast<char const*>(image + offset + header);
      std::string ptx(text, strnlen(text, bytes));
      if (ptx.find(".version") == ptx.npos)
        throw std::runtime_error("the PTX is compressed: use -Xfatbin --compress-mode=none");
      return ptx;
    }
    offset += header + bytes;
  }
  throw std::runtime_error("no PTX: use -gencode arch=compute_90,code=compute_90");
}

void loaded_module::load() {
  if (ready) return;
  ready = true;
  text = cut(ptx_of(image));
  for (auto const& [name, v] : text.global)
    globals[name] = reinterpret_cast<std::uint64_t>(allocate(v.bytes, memory_kind::variable));
  for (auto const& [name, v] : text.global) initialise(v);
}

void loaded_module::initialise(variable const& v) {
  auto* const to = reinterpret_cast<std::byte*>(globals[v.name]);
  std::memset(to, 0, v.bytes);
  auto list = v.initial;
  std::size_t offset = 0;
  std::function<void(std::string_view)> const fill = [&](std::string_view one) {
    if (one.starts_with("{")) {
      for (auto const part : split(one.substr(1, one.rfind('}') - 1), ',')) fill(part);
      return;
    }
    if (one.empty()) return;
    if (offset + v.of.bytes > v.bytes) throw std::runtime_error("too many values for " + v.name);
    std::uint64_t word = 0;
    bool const generic = one.starts_with("generic(");
    if (generic) one = one.substr(8, one.find(')') - 8);
    if (one[0] == '0' && one.size() > 2 &&
        (one[1] == 'f' || one[1] == 'F' || one[1] == 'd' || one[1] == 'D') && v.of.meaning == kind::real) {
      word = std::stoull(std::string(one.substr(2)), nullptr, 16);
    } else if ((one[0] >= '0' && one[0] <= '9') || one[0] == '-') {
      word = one[0] == '-' ? static_cast<std::uint64_t>(std::stoll(std::string(one), nullptr, 0))
                           : std::stoull(std::string(one), nullptr, 0);
    } else {
      auto const plus = std::min(one.find('+'), one.size());
      auto const name = std::string(trimmed(one.substr(0, plus)));
      if (auto const found = globals.find(name); found != globals.end()) word = found->second;
      else throw std::runtime_error("the initial value " + std::string(one) + " of " + v.name);
      if (plus < one.size()) word += std::stoull(std::string(trimmed(one.substr(plus + 1))), nullptr, 0);
    }
    std::memcpy(to + offset, &word, v.of.bytes);
    offset += v.of.bytes;
  };
  fill(list);
}

kernel_entry* find_kernel(void const* function) {
  auto const found = all().kernels.find(function);
  return found == all().kernels.end() ? nullptr : &found->second;
}

int blocks_at_once(program const& p, std::uint64_t threads, std::size_t dynamic) {
  if (threads == 0 || threads > 1024) return 0;
  auto const warps = (threads + warp_size - 1) / warp_size;
  auto const shared = p.shared_bytes + dynamic + 1024;
  return static_cast<int>(std::min<std::uint64_t>({64 / warps, 32, 228 * 1024 / shared}));
}

struct launch_options {
  dimensions cluster;
  bool cooperative = false, early = false;
};

dimensions from(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t launch_kernel(void const* function, dim3 grid, dim3 block, void** arguments, std::size_t dynamic,
                          cudaStream_t stream, launch_options options) {
  auto* const kernel = find_kernel(function);
  if (!kernel) return report(cudaErrorInvalidDeviceFunction);
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  try {
    auto const& p = kernel->get();
    if (p.cluster[0]) options.cluster = {p.cluster[0], p.cluster[1], p.cluster[2]};
    auto const threads = from(block).all(), cluster = options.cluster.all();
    if (threads == 0 || threads > 1024 || threads > p.most_threads || from(grid).all() == 0 ||
        grid.y > 65535 || grid.z > 65535 || grid.x > 0x7fffffffu || block.z > 64)
      return report(cudaErrorInvalidConfiguration);
    if (grid.x % options.cluster.x || grid.y % options.cluster.y || grid.z % options.cluster.z ||
        cluster > (kernel->large_clusters ? 16u : 8u))
      return report(cudaErrorInvalidClusterSize);
    if (dynamic > static_cast<std::size_t>(kernel->dynamic_bytes_at_most) ||
        p.shared_bytes + dynamic > shared_bytes_at_most)
      return report(cudaErrorInvalidValue);
    auto const resident =
        static_cast<std::uint64_t>(blocks_at_once(p, threads, dynamic)) * chosen().multiprocessors;
    if (options.cooperative && from(grid).all() > resident) return report(cudaErrorCooperativeLaunchTooLarge);
    std::vector<std::byte> parameters(p.parameter_bytes);
    for (std::size_t k = 0; k < p.parameters.size(); ++k)
      std::memcpy(parameters.data() + p.parameters[k].offset, arguments[k], p.parameters[k].bytes);
    task what;
    what.early = options.early;
    what.kernel = [=, &p] {
      auto l = std::make_unique<launch>();
      l->kernel = &p;
      l->grid = from(grid);
      l->threads = from(block);
      l->cluster = options.cluster;
      l->dynamic_shared = static_cast<std::uint32_t>(dynamic);
      l->parameters = parameters;
      l->all_resident = options.cooperative;
      if (std::getenv("SIM_VERBOSE"))
        std::fprintf(stderr, "emulator: %u blocks: %s\n", grid.x, p.name.c_str());
      return l;
    };
    return submit(stream, std::move(what));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "emulator: %s\n", e.what());
    return report(cudaErrorInvalidKernelImage);
  }
}

struct call_configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<call_configuration> configurations;

}  // namespace

void* address_of_symbol(void const* symbol, std::size_t& bytes) {
  auto const found = all().symbols.find(symbol);
  if (found == all().symbols.end()) return nullptr;
  found->second.module->load();
  bytes = found->second.bytes;
  return reinterpret_cast<void*>(found->second.module->globals[found->second.name]);
}

}  // namespace emulator

using namespace emulator;

extern "C" {

// ---- What nvcc's stubs call ----
void** __cudaRegisterFatBinary(void* wrapper) {
  guard const lock(machine_lock());
  auto module = std::make_unique<loaded_module>();
  std::memcpy(&module->image, static_cast<std::byte*>(wrapper) + 8, sizeof(void*));
  all().modules.push_back(std::move(module));
  return reinterpret_cast<void**>(all().modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterFunction(void** handle, char const* host, char*, char const* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  guard const lock(machine_lock());
  auto& kernel = all().kernels[host];
  kernel.module = reinterpret_cast<loaded_module*>(handle);
  kernel.name = name;
}
void __cudaRegisterVar(void** handle, char* host, char*, char const* name, int, std::size_t bytes, int, int) {
  guard const lock(machine_lock());
  all().symbols[host] = {reinterpret_cast<loaded_module*>(handle), name, bytes};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorInvalidConfiguration;
  auto const c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  std::memcpy(stream, &c.stream, sizeof c.stream);
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, void const* function) {
  std::memcpy(kernel, &function, sizeof function);
  return cudaSuccess;
}

// ---- Launches ----
cudaError_t cudaLaunchKernel(void const* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  guard const lock(machine_lock());
  return launch_kernel(function, grid, block, arguments, shared, stream, {});
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream ? stream : cudaStreamPerThread);
}
cudaError_t cudaLaunchCooperativeKernel(void const* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  guard const lock(machine_lock());
  return launch_kernel(function, grid, block, arguments, shared, stream, {{}, true, false});
}
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* function, void** arguments) {
  guard const lock(machine_lock());
  launch_options options;
  for (unsigned k = 0; k < config->numAttrs; ++k) {
    auto const& a = config->attrs[k];
    if (a.id == cudaLaunchAttributeClusterDimension)
      options.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
    if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      options.early = a.val.programmaticStreamSerializationAllowed != 0;
    if (a.id == cudaLaunchAttributeCooperative) options.cooperative = a.val.cooperative != 0;
  }
  return launch_kernel(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                       config->stream, options);
}

// ---- Facts about kernels ----
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* function) {
  guard const lock(machine_lock());
  auto* const kernel = find_kernel(function);
  if (!kernel) return report(cudaErrorInvalidDeviceFunction);
  try {
    auto const& p = kernel->get();
    *attributes = {};
    attributes->sharedSizeBytes = p.shared_bytes;
    attributes->localSizeBytes = p.local_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(p.most_threads);
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = kernel->dynamic_bytes_at_most;
    return cudaSuccess;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "emulator: %s\n", e.what());
    return report(cudaErrorInvalidKernelImage);
  }
}
cudaError_t cudaFuncSetAttribute(void const* function, cudaFuncAttribute which, int value) {
  guard const lock(machine_lock());
  auto* const kernel = find_kernel(function);
  if (!kernel) return report(cudaErrorInvalidDeviceFunction);
  if (which == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || value > shared_bytes_at_most) return report(cudaErrorInvalidValue);
    kernel->dynamic_bytes_at_most = value;  // a GPU refuses more from then on, however little this is
  }
  if (which == cudaFuncAttributeNonPortableClusterSizeAllowed) kernel->large_clusters = value != 0;
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(void const*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* function,
                                                                   int threads, std::size_t shared,
                                                                   unsigned) {
  guard const lock(machine_lock());
  auto* const kernel = find_kernel(function);
  if (!kernel) return report(cudaErrorInvalidDeviceFunction);
  *blocks = blocks_at_once(kernel->get(), static_cast<std::uint64_t>(threads), shared);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* function, int threads,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void const* function,
                                           cudaLaunchConfig_t const* config) {
  guard const lock(machine_lock());
  auto* const kernel = find_kernel(function);
  if (!kernel) return report(cudaErrorInvalidDeviceFunction);
  unsigned size = 1;
  for (unsigned k = 0; k < config->numAttrs; ++k)
    if (auto const& a = config->attrs[k]; a.id == cudaLaunchAttributeClusterDimension)
      size = a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z;
  if (size > (kernel->large_clusters ? 16u : 8u)) return report(cudaErrorInvalidClusterSize);
  auto const blocks = blocks_at_once(kernel->get(), from(config->blockDim).all(), config->dynamicSmemBytes);
  *clusters = blocks == 0
                  ? 0
                  : std::max(1, blocks * static_cast<int>(chosen().multiprocessors) / static_cast<int>(size));
  return cudaSuccess;
}

}  // extern "C"
