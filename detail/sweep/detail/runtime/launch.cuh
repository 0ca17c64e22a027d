// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_LAUNCH_CUH
#define SWEEP_DETAIL_RUNTIME_LAUNCH_CUH

#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/asked_once.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/error.cuh>
#include <sweep/detail/runtime/launch_state.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// From sm_90 on a kernel may start while the last blocks of the one before it on its stream run, so that its
// launch costs no time of its own. It touches nothing that others may still be writing before it has waited.

inline constexpr int first_arch_that_starts_early = 90;

/// The kernel before this one, and so all before it, is done. By whoever needs that, in every block.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
/// The next kernel may start once all blocks have called this, or have ended. It may draw tickets at once, of
/// the same counter, so a block that draws some calls this behind its last.
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Both, by all threads of a block that has drawn its tickets.
__device__ inline void follow_kernel_before() {
  wait_for_kernel_before();
  if (threadIdx.x == 0) let_next_kernel_start();
}

/// Where a kernel stands among some of its call that run side by side: none needs what another of them does.
struct kernel_in_row {
  bool first, last;
};
/// From the first line of such a kernel to its end. The first of them waits for what was before all of them,
/// and none lets another one start before that is done. Each ends behind the one before it, so that who waits
/// for the last waits for all; the last lets nobody start sooner.
class runs_in_row {
 public:
  __device__ explicit runs_in_row(kernel_in_row const& place) : ends_behind_another_{!place.first} {
    if (place.first) wait_for_kernel_before();
    if (!place.last) let_next_kernel_start();
  }
  runs_in_row(runs_in_row const&) = delete;
  runs_in_row& operator=(runs_in_row const&) = delete;
  __device__ ~runs_in_row() {
    if (ends_behind_another_ && blockIdx.x == 0 && threadIdx.x == 0) wait_for_kernel_before();
  }

 private:
  bool ends_behind_another_;
};

/// Whether a job waits for the kernel before it itself. It may do so late only where that is one of its own
/// call's, which has waited for all before it; and behind its ticket, where no memory was cleared for that.
template <class Job>
inline constexpr bool job_waits = false;
template <class Job>
  requires requires { Job::waits_itself; }
inline constexpr bool job_waits<Job> = Job::waits_itself;

/// The one kernel: a job is a value with the work of a block in it. Job::threads and Job::blocks are those of
/// the architecture being compiled for.
template <class Job>
__global__ void __launch_bounds__(Job::threads, Job::blocks) run_job(Job const job) {
  if constexpr (!job_waits<Job>) wait_for_kernel_before();
  job();
}

/// The kernel of a job as the runtime knows it. nvcc gives every translation unit a stub of its own; not
/// inlined, all of a program's calls for a job agree on one.
template <class Job>
[[gnu::noinline]] void const* kernel_of() {
  return reinterpret_cast<void const*>(&run_job<Job>);
}

/// Shared memory that a block may be given, at most: tests lower it to see what a smaller device does.
inline std::size_t most_shared_bytes = ~std::size_t{0};

/// What is known of a job's kernel on the current device.
struct kernel_facts {
  int arch;   ///< times ten, of the machine code or PTX that runs there: the tuning row that it was compiled
              ///< with
  bool fits;  ///< whether the device has the shared memory that its plan wants
};
/// Whether all memory of a multiprocessor that a job's blocks do not share is to be its first-level cache.
/// Left to itself the driver sets aside more for sharing than they need.
template <class Job>
inline constexpr bool wants_first_level_cache = false;
template <class Job>
  requires requires { Job::first_level_cache; }
inline constexpr bool wants_first_level_cache<Job> = Job::first_level_cache;

/// How much of the memory of a multiprocessor the blocks of a launch share then, in hundredths; -1 where they
/// may have all of it.
template <class Job>
int shared_hundredths(char const* call, std::size_t dynamic) {
  constexpr int most_devices = 64;
  static std::int32_t block_bytes[most_devices] = {}, all_bytes[most_devices] = {};  // found anew where 0
  int const device = current_device(call);
  atomic_ref<std::int32_t> of_block(block_bytes[device % most_devices]),
      of_all(all_bytes[device % most_devices]);
  if (of_block.load(acquire) == 0) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel_of<Job>()), call, "cudaFuncGetAttributes");
    int reserved = 0, most = 0;
    check(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device), call,
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device), call,
          "cudaDeviceGetAttribute");
    of_all.store(most, relaxed);
    of_block.store(static_cast<int>(attributes.sharedSizeBytes) + reserved, release);
  }
  std::int64_t const bytes = Job::blocks * (of_block.load(relaxed) + static_cast<std::int64_t>(dynamic)),
                     all = of_all.load(relaxed);
  return bytes < all ? static_cast<int>((100 * bytes + all - 1) / all) : -1;
}

template <class Job>
kernel_facts facts_of(char const* call) {
  constexpr int most_devices = 64;
  static std::int32_t archs[most_devices] = {}, kibs[most_devices] = {};  // found anew where 0
  int const device = current_device(call);
  atomic_ref<std::int32_t> arch(archs[device % most_devices]), kib(kibs[device % most_devices]);
  if (arch.load(acquire) == 0) {
    auto const* kernel = kernel_of<Job>();
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), call, "cudaFuncGetAttributes");
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), call,
          "cudaDeviceGetAttribute");
    if constexpr (requires { Job::dynamic_bytes(0); })
      if (auto const bytes = static_cast<int>(Job::dynamic_bytes(attributes.ptxVersion)); bytes <= most)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), call,
              "cudaFuncSetAttribute");
    kib.store(most / 1024, relaxed);
    arch.store(attributes.ptxVersion, release);
  }
  kernel_facts facts{arch.load(relaxed), true};
  if constexpr (requires { Job::dynamic_bytes(0); })
    facts.fits = Job::dynamic_bytes(facts.arch) <=
                 std::min(static_cast<std::size_t>(kib.load(relaxed)) * 1024, most_shared_bytes);
  return facts;
}

/// Blocks of a job that a multiprocessor runs at the same time. Its facts have been asked for.
template <class Job>
int resident_blocks(char const* call, int threads, std::size_t dynamic) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of<Job>(), threads, dynamic), call,
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

/// Blocks for n items where one takes so many: at least one, at most so many.
inline std::int64_t blocks_for(std::int64_t n, std::int64_t each, std::int64_t most) {
  return std::max<std::int64_t>(1, std::min(most, (n + each - 1) / each));
}

/// Whether this thread's last launch was on this stream, too, or into the same capture of it. The first
/// kernel of a stream does not start early: the stream may be made of one that was destroyed with work under
/// way, whose last kernels the driver then takes for those before this one, and a later kernel waits for ever
/// (seen with CUDA 13.0 on an H100).
inline bool follows_a_launch(char const* call, cudaStream_t stream) {
  static thread_local stream_place last;
  auto const here = place_of(call, stream);
  return std::exchange(last, here) == here;
}

/// What the blocks of a grid are to each other: one may come behind another, or all run at the same time, so
/// that they may wait for each other.
enum class blocks_are { independent, resident };

/// So many neighbouring blocks are a cluster (block/cluster.cuh), which divides their number. layers: how
/// often there are so many blocks, told apart by blockIdx.y; at most 65535.
template <class Job>
void launch_job(char const* call, cudaStream_t stream, std::int64_t blocks, int threads, Job const& job,
                std::size_t dynamic = 0, blocks_are together = blocks_are::independent, int cluster = 1,
                int layers = 1) {
  auto const arch = facts_of<Job>(call).arch;
  if (only_obtains()) return;
  bool const early_start = arch >= first_arch_that_starts_early && follows_a_launch(call, stream);
  void* arguments[] = {const_cast<Job*>(&job)};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(layers));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = dynamic;
  config.stream = stream;
  cudaLaunchAttribute attributes[4] = {};
  config.attrs = attributes;
  if constexpr (wants_first_level_cache<Job>)
    if (int const shared = shared_hundredths<Job>(call, dynamic); shared >= 0) {
      auto& carveout = attributes[config.numAttrs++];
      carveout.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
      carveout.val.sharedMemCarveout = static_cast<unsigned>(shared);
    }
  if (early_start) {
    auto& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if (together == blocks_are::resident) {
    auto& cooperative = attributes[config.numAttrs++];
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
  }
  if (cluster > 1) {
    auto& neighbours = attributes[config.numAttrs++];
    neighbours.id = cudaLaunchAttributeClusterDimension;
    neighbours.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  }
  check(cudaLaunchKernelExC(&config, kernel_of<Job>(), arguments), call, "cudaLaunchKernelExC");
}

/// What a job's plan says to its launch; the plan itself is a function of the architecture.
template <class Config>
concept kernel_config = requires(int arch, std::int64_t n) {
  { Config::plan(arch).stages } -> std::convertible_to<int>;
  { Config::dynamic_bytes(arch) } -> std::same_as<std::size_t>;  // of shared memory
  { Config::threads_for(arch, n) } -> std::same_as<int>;         // a block, for n items
  { Config::tile_items(arch, 0, n) } -> std::same_as<int>;       // of a block of so many threads
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_stages_need_sm_90(char const* call) {
  throw bad_argument(call, "plan", "has stages, which need sm_90 or later");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_plan_too_large(char const* call, std::size_t bytes) {
  throw bad_argument(call, "plan",
                     "needs " + std::to_string(bytes) +
                         " bytes of shared memory a block, more than the device has");
}

/// Whether a job's only tile, where it has one, does without tile state and tickets: nobody asks for its
/// total.
template <class Job>
inline constexpr bool needs_no_state_alone = false;
template <class Job>
  requires requires { Job::needs_no_state_alone; }
inline constexpr bool needs_no_state_alone<Job> = Job::needs_no_state_alone;

/// One kernel, whose tiles tell each other by State while it runs. Job{problem, state, tickets} is the work
/// of a block. The grid has at least one tile.
template <class Job, kernel_config Config, class State, class Source, class Problem>
void launch_single_pass(Source source, char const* call, cudaStream_t stream, Problem const& given) {
  Problem problem = given;
  auto const [arch, fits] = facts_of<Job>(call);
  int const threads = Config::threads_for(arch, problem.grid.n), stages = Config::plan(arch).stages;
  if (stages > 0 && arch < 90) throw_stages_need_sm_90(call);
  if (!fits && Config::dynamic_bytes(arch) > 0) throw_plan_too_large(call, Config::dynamic_bytes(arch));
  problem.grid.tile_items = Config::tile_items(arch, threads, problem.grid.n);
  auto const tiles = std::max<std::int64_t>(1, problem.grid.tiles());
  auto const blocks = stages > 0 ? std::min<std::int64_t>(tiles, multiprocessors(call)) : tiles;
  std::size_t dynamic = Config::dynamic_bytes(arch);
  if constexpr (requires { Config::dynamic_bytes_for(0, 0, 0); })
    dynamic = Config::dynamic_bytes_for(arch, threads, problem.grid.n);
  if constexpr (needs_no_state_alone<Job>)
    if (tiles == 1 && stages == 0)
      return launch_job(call, stream, 1, threads, Job{problem, State(nullptr, 1, 0), {}});
  launch_state<Source> state(source, call, stream, State::words(tiles));
  launch_job(call, stream, blocks, threads,
             Job{problem, State(state.tiles(), tiles, state.stamp()), state.tickets()}, dynamic);
  state.launched(tiles + (stages > 0 ? pipeline_tickets(blocks, stages) : 0));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
