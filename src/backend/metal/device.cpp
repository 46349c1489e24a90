// Finding the GPU, and memory of its.
#include "src/backend/metal/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/backend/metal/mps.h"
#include "src/backend/metal/pool.h"
#include "src/core/try.h"
#include "src/generate/kernel_text.h"

namespace weft::metal {
namespace {

Result<Owned> default_device() {
  WEFT_RETURN_IF_ERROR(load_runtime());
  Owned device = Owned::taken(objc().default_device());
  if (!device)
    return Status{StatusCode::kNotFound, "device metal: Metal gives no default device: no usable GPU is here"};
  return device;
}

}  // namespace

Status Device::available() {
  static const Status status = [] {
    WEFT_RETURN_IF_ERROR(load_runtime());
    const Pool pool;
    return default_device().status();
  }();
  return status;
}

std::string Device::describe() {
  if (!available().ok()) return "Apple GPUs";
  const Pool pool;
  const Result<Owned> device = default_device();
  if (!device.ok()) return "Apple GPUs";
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{}, {:.1f} GiB for the GPU{}", objc().text(objc().name(device->get())),
                     static_cast<double>(objc().working_set_size(device->get())) / kGibibyte,
                     MatrixProduct::available() ? "; large products by Metal Performance Shaders" : "");
}

Result<std::unique_ptr<Device>> Device::open() {
  WEFT_RETURN_IF_ERROR(load_runtime());
  const Pool pool;
  WEFT_ASSIGN_OR_RETURN(Owned id, default_device());
  std::unique_ptr<Device> device(new Device(std::move(id)));
  WEFT_ASSIGN_OR_RETURN(device->kernels_, Library::compile(device->id(), "the text of src/kernels", entries_text()));
  return device;
}

Result<Device*> Device::get() {
  // Never freed: at the end of a process Metal's own objects may be gone before.
  static const auto* const opened = new Result<std::unique_ptr<Device>>(open());
  if (!opened->ok()) return opened->status();
  return (**opened).get();
}

Result<std::shared_ptr<Library>> Device::library(std::string_view title, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (const auto known = libraries_.find(text); known != libraries_.end())
    if (auto library = known->second.lock(); library != nullptr) return library;
  std::erase_if(libraries_, [](const auto& entry) { return entry.second.expired(); });
  WEFT_ASSIGN_OR_RETURN(std::shared_ptr<Library> made, Library::compile(id(), title, text));
  libraries_[text] = made;
  return made;
}

Result<Owned> Device::new_buffer(std::size_t bytes, std::string_view what, std::size_t replaced) const {
  constexpr UInteger kShared = 0;  // MTLResourceStorageModeShared
  constexpr std::size_t kLeast = 16;
  const Runtime& metal = objc();
  const std::uint64_t longest = metal.max_buffer_length(id()), used = metal.allocated_size(id());
  const std::uint64_t all = metal.working_set_size(id());  // 0 where the GPU does not say
  // Metal gives more than the GPU can work on, and then lets command buffers fail.
  const std::uint64_t kept = used - std::min<std::uint64_t>(used, replaced);
  if (bytes <= longest && (all == 0 || (kept <= all && bytes <= all - kept))) {
    if (Owned buffer = Owned::taken(metal.new_buffer(id(), std::max(bytes, kLeast), kShared))) {
      metal.set_label(buffer.get(), metal.string(what));
      return buffer;
    }
  }
  return Status{StatusCode::kResourceExhausted,
                fmt::format("metal: {}: {} bytes wanted, the GPU allows {} in one buffer and has {} of {} in use", what,
                            bytes, longest, used, all)};
}

}  // namespace weft::metal
