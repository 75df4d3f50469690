// What the processor says of itself; what the CPU engine makes of it is the engine's business.
#include "text/processor.hpp"

namespace multifold::app {

#if defined(__x86_64__)
std::string processor_features() {
  __builtin_cpu_init();
  std::string text = "x86-64 with sse2";
  if (__builtin_cpu_supports("avx2")) text += ", avx2";
  if (__builtin_cpu_supports("avx512f")) text += ", avx512f";
  return text;
}
#elif defined(__aarch64__)
std::string processor_features() { return "aarch64 with neon"; }
#else
std::string processor_features() { return "of a kind that is not known here"; }
#endif

}  // namespace multifold::app
