// Names of the status codes.
#include "weft/status.hpp"

namespace weft {

const char* to_string(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "ok";
    case StatusCode::kInvalidArgument: return "invalid argument";
    case StatusCode::kFailedPrecondition: return "failed precondition";
    case StatusCode::kUnsupported: return "unsupported";
    case StatusCode::kNotFound: return "not found";
    case StatusCode::kDataLoss: return "data loss";
    case StatusCode::kResourceExhausted: return "resource exhausted";
    case StatusCode::kIo: return "input/output error";
    case StatusCode::kDeviceFault: return "device fault";
    case StatusCode::kInternal: return "internal error";
  }
  return "unknown status code";
}

}  // namespace weft
