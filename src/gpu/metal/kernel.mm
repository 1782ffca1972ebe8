#include "gpu/metal/kernel.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::gpu::metal {
namespace {

NSString* string_of(const std::string& text) {
  return [[NSString alloc] initWithBytes:text.data() length:text.size() encoding:NSUTF8StringEncoding];
}

MTLCompileOptions* options() {
  MTLCompileOptions* const made = [[MTLCompileOptions alloc] init];
  made.languageVersion = MTLLanguageVersion3_0;
  // Kernels rely on infinities, on NaN and on the order of operations as written. Later systems have mathMode for it;
  // this property says the same and still works there.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  made.fastMathEnabled = NO;
#pragma clang diagnostic pop
  return made;
}

}  // namespace

id<MTLComputePipelineState> build_pipeline(const Context& context, const std::string& source,
                                           const std::string& function, const std::string& name) {
  NSError* error = nil;
  id<MTLLibrary> library = [context.device newLibraryWithSource:string_of(source) options:options() error:&error];
  if (library == nil) {
    throw InternalError(fmt::format("The kernel '{}' does not compile on the device '{}': {}\n{}", name,
                                    context.facts.id, text_of(error), source));
  }
  id<MTLFunction> entry = [library newFunctionWithName:string_of(function)];
  if (entry == nil) throw InternalError(fmt::format("The program of the kernel '{}' has no '{}'.", name, function));
  id<MTLComputePipelineState> pipeline = [context.device newComputePipelineStateWithFunction:entry error:&error];
  if (pipeline == nil) {
    throw DeviceLost(fmt::format("The device '{}' makes no pipeline of the kernel '{}': {}", context.facts.id, name,
                                 text_of(error)));
  }
  return pipeline;
}

MetalKernel::MetalKernel(std::shared_ptr<Context> context, id<MTLComputePipelineState> pipeline, std::string name,
                         Signature signature)
    : context_(std::move(context)),
      pipeline_(pipeline),
      name_(std::move(name)),
      signature_(std::move(signature)),
      max_workgroup_size_(static_cast<std::uint32_t>([pipeline maxTotalThreadsPerThreadgroup])) {}

}  // namespace driftwood::gpu::metal
