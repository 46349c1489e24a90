// Plugin: devices that live in shared libraries of their own, loaded the first time they are asked for.
#pragma once

#include "src/backend/backend.h"

namespace weft {

/// Rows of backends() for the libraries libweft_cuda and libweft_metal. Each library exports
/// `extern "C" const weft::BackendEntry* weft_backend_entry_v4()`. It is looked for where WEFT_CUDA_LIBRARY or
/// WEFT_METAL_LIBRARY points (a file or its folder; nowhere else then), else beside the library weft, else in the
/// folder of libraries that weft was built to be installed to.
BackendEntry cuda_entry();
BackendEntry metal_entry();

/// The row that the device's library exports, loading the library at first use; it stays loaded.
/// `device` is "cuda" or "metal".
/// Errors: kNotFound naming every place looked at and what the loader said; kUnsupported for a library that is not a
/// device of that name, and for metal off Apple silicon unless WEFT_METAL_RUNTIME names a stand-in.
Result<const BackendEntry*> load_plugin(std::string_view device);

}  // namespace weft
