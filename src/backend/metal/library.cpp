// Compiling Metal's language when weft runs.
#include "src/backend/metal/library.h"

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft::metal {
namespace {

/// The numbers of the other devices: no arithmetic but what the text says, correct functions of mathematics.
Owned exact_options() {
  constexpr Integer kMathModeSafe = 0, kPreciseFunctions = 1;
  const Runtime& metal = objc();
  Owned options = Owned::taken(metal.make(metal.class_named("MTLCompileOptions")));
  metal.set_fast_math(options.get(), false);
  // macOS 15 and later have these besides.
  if (metal.responds_to(options.get(), metal.set_math_mode.selector()))
    metal.set_math_mode(options.get(), kMathModeSafe);
  if (metal.responds_to(options.get(), metal.set_math_functions.selector()))
    metal.set_math_functions(options.get(), kPreciseFunctions);
  return options;
}

}  // namespace

Result<std::unique_ptr<Library>> Library::compile(Id device, std::string_view title, std::string_view text) {
  const Owned options = exact_options();
  if (!options) return Status{StatusCode::kInternal, "metal: there is no class MTLCompileOptions"};
  Id error = nullptr;
  Owned library = Owned::taken(objc().new_library(device, objc().string(text), options.get(), &error));
  if (!library)
    return Status{StatusCode::kInternal, fmt::format("metal: {} is not compiled: {}", title, objc().error_text(error))};
  return std::unique_ptr<Library>(new Library(device, title, std::move(library)));
}

Result<Pipeline> Library::pipeline(const std::string& kernel) {
  const std::lock_guard lock(mutex_);
  if (const auto known = pipelines_.find(kernel); known != pipelines_.end()) return known->second.pipeline;
  const Owned function = Owned::taken(objc().new_function(library_.get(), objc().string(kernel)));
  if (!function) return Status{StatusCode::kInternal, fmt::format("metal: {} has no kernel {}", title_, kernel)};
  Id error = nullptr;
  Owned state = Owned::taken(objc().new_pipeline(device_, function.get(), &error));
  if (!state)
    return Status{StatusCode::kInternal,
                  fmt::format("metal: kernel {} of {}: {}", kernel, title_, objc().error_text(error))};
  const Pipeline made{state.get(), objc().max_threads(state.get())};
  pipelines_.emplace(kernel, Entry{std::move(state), made});
  return made;
}

}  // namespace weft::metal
