// Loading and calling cuBLASLt.
#include "src/backend/cuda/blas.h"

#include <cublasLt.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "src/core/try.h"

namespace weft::cuda {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{32} << 20;

#define WEFT_BLAS_FUNCTIONS(apply)                                                                                \
  apply(Create) apply(Destroy) apply(Matmul) apply(MatmulAlgoGetHeuristic) apply(MatmulDescCreate)                \
      apply(MatmulDescDestroy) apply(MatmulDescSetAttribute) apply(MatrixLayoutCreate) apply(MatrixLayoutDestroy) \
          apply(MatmulPreferenceCreate) apply(MatmulPreferenceDestroy) apply(MatmulPreferenceSetAttribute)        \
              apply(GetStatusString)

/// The functions of the library, by their names without "cublasLt".
struct Library {
#define WEFT_BLAS_MEMBER(name) decltype(&cublasLt##name) name = nullptr;
  WEFT_BLAS_FUNCTIONS(WEFT_BLAS_MEMBER)
#undef WEFT_BLAS_MEMBER
};

std::vector<std::string> places() {
  if (const char* named = std::getenv("WEFT_CUBLASLT_LIBRARY"); named != nullptr && *named != '\0') return {named};
  const std::string plain = fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
  return {plain, "/usr/local/cuda/lib64/" + plain};
}

Result<Library> load() {
  std::string tried;
  void* opened = nullptr;
  for (const std::string& place : places()) {
    opened = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened != nullptr) break;
    tried += (tried.empty() ? "" : ", ") + place;
  }
  if (opened == nullptr)
    return Status{StatusCode::kNotFound,
                  fmt::format("cuda: cuBLASLt, which computes large products, could not be loaded (tried {})", tried)};
  Library library;
  std::string missing;
#define WEFT_BLAS_FIND(name)                                                                \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(opened, "cublasLt" #name)); \
  if (library.name == nullptr) missing = "cublasLt" #name;
  WEFT_BLAS_FUNCTIONS(WEFT_BLAS_FIND)
#undef WEFT_BLAS_FIND
  if (!missing.empty()) return Status{StatusCode::kNotFound, fmt::format("cuda: cuBLASLt lacks {}", missing)};
  return library;
}

/// Never unloaded: it may leave threads and handlers behind.
const Result<Library>& library() {
  static const Result<Library> loaded = load();
  return loaded;
}

Status told(cublasStatus_t status, std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return {status == CUBLAS_STATUS_NOT_SUPPORTED ? StatusCode::kUnsupported : StatusCode::kDeviceFault,
          fmt::format("cuda: cuBLASLt: {}: {}", what, library()->GetStatusString(status))};
}

class LtProduct final : public Product {
 public:
  ~LtProduct() override {
    for (cublasLtMatrixLayout_t layout : {left, right, result})
      if (layout != nullptr) library()->MatrixLayoutDestroy(layout);
    if (description != nullptr) library()->MatmulDescDestroy(description);
  }
  std::size_t workspace() const override { return chosen.workspaceSize; }

  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
  cublasLtMatmulHeuristicResult_t chosen{};
  bool bias = false;
};

class LtBlas final : public Blas {
 public:
  ~LtBlas() override {
    if (handle_ != nullptr) library()->Destroy(handle_);
  }
  Status open() { return told(library()->Create(&handle_), "making a handle"); }

  Result<std::unique_ptr<Product>> prepare(const ProductShape& shape) override {
    auto made = std::make_unique<LtProduct>();
    WEFT_RETURN_IF_ERROR(describe(shape, *made));
    WEFT_RETURN_IF_ERROR(choose(shape, *made));
    return std::unique_ptr<Product>(std::move(made));
  }

  Status run(Product& product, const ProductRun& run, cudaStream_t stream) override {
    auto& it = static_cast<LtProduct&>(product);
    if (it.bias) WEFT_RETURN_IF_ERROR(set(it, CUBLASLT_MATMUL_DESC_BIAS_POINTER, run.bias));
    // Row-major matrices are the transposes of column-major ones, so the factors change places.
    return told(library()->Matmul(handle_, it.description, run.alpha, run.right, it.right, run.left, it.left, run.beta,
                                  run.result, it.result, run.result, it.result, &it.chosen.algo, run.workspace,
                                  it.chosen.workspaceSize, stream),
                "a product");
  }

 private:
  template <typename T>
  static Status set(LtProduct& product, cublasLtMatmulDescAttributes_t attribute, const T& value) {
    return told(library()->MatmulDescSetAttribute(product.description, attribute, &value, sizeof value),
                "describing a product");
  }

  static Status describe(const ProductShape& shape, LtProduct& made) {
    const Library& lt = *library();
    const bool half = shape.precision == Precision::kBfloat16;
    const cublasComputeType_t compute =
        shape.precision == Precision::kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    WEFT_RETURN_IF_ERROR(told(lt.MatmulDescCreate(&made.description, compute, CUDA_R_32F), "describing a product"));
    const auto order = [](bool turned) { return turned ? CUBLAS_OP_T : CUBLAS_OP_N; };
    WEFT_RETURN_IF_ERROR(set(made, CUBLASLT_MATMUL_DESC_TRANSA, order(shape.right.turned)));
    WEFT_RETURN_IF_ERROR(set(made, CUBLASLT_MATMUL_DESC_TRANSB, order(shape.left.turned)));
    WEFT_RETURN_IF_ERROR(
        set(made, CUBLASLT_MATMUL_DESC_POINTER_MODE, static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE)));
    if (shape.bias) WEFT_RETURN_IF_ERROR(set(made, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS));
    made.bias = shape.bias;
    const auto layout = [&](cublasLtMatrixLayout_t& to, bool half_type, std::int64_t rows, std::int64_t columns,
                            std::int64_t row) {
      return told(lt.MatrixLayoutCreate(&to, half_type ? CUDA_R_16BF : CUDA_R_32F, static_cast<std::uint64_t>(columns),
                                        static_cast<std::uint64_t>(rows), row),
                  "describing a matrix");
    };
    const auto factor = [&](cublasLtMatrixLayout_t& to, const Factor& f, std::int64_t rows, std::int64_t columns) {
      return f.turned ? layout(to, half, columns, rows, f.row) : layout(to, half, rows, columns, f.row);
    };
    WEFT_RETURN_IF_ERROR(factor(made.left, shape.left, shape.rows, shape.inner));
    WEFT_RETURN_IF_ERROR(factor(made.right, shape.right, shape.inner, shape.columns));
    return layout(made.result, false, shape.rows, shape.columns, shape.columns);
  }

  /// The first that the library's own judgement offers: timing them would make the bits depend on a moment's load.
  Status choose(const ProductShape& shape, LtProduct& made) {
    const Library& lt = *library();
    cublasLtMatmulPreference_t wishes = nullptr;
    WEFT_RETURN_IF_ERROR(told(lt.MatmulPreferenceCreate(&wishes), "choosing a product"));
    const auto wish = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      lt.MatmulPreferenceSetAttribute(wishes, attribute, &value, sizeof value);
    };
    const auto bytes = [](std::size_t alignment) { return static_cast<std::uint32_t>(alignment); };
    wish(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(kMostWorkspace));
    wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, bytes(shape.right.alignment));
    wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, bytes(shape.left.alignment));
    wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, bytes(shape.result_alignment));
    wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, bytes(shape.result_alignment));
    int found = 0;
    const cublasStatus_t status = lt.MatmulAlgoGetHeuristic(handle_, made.description, made.right, made.left,
                                                            made.result, made.result, wishes, 1, &made.chosen, &found);
    lt.MatmulPreferenceDestroy(wishes);
    if (status == CUBLAS_STATUS_SUCCESS && found > 0) return {};
    return {StatusCode::kUnsupported,
            fmt::format("cuda: cuBLASLt has no way for a product of {}x{} by {} in {}: {}", shape.rows, shape.columns,
                        shape.inner, to_string(shape.precision), lt.GetStatusString(status))};
  }

  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace

Status blas_available() { return library().status(); }

Result<std::unique_ptr<Blas>> Blas::open() {
  WEFT_RETURN_IF_ERROR(blas_available());
  auto blas = std::make_unique<LtBlas>();
  WEFT_RETURN_IF_ERROR(blas->open());
  return std::unique_ptr<Blas>(std::move(blas));
}

}  // namespace weft::cuda
