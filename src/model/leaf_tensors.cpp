// The one list of what a model file holds.
#include "src/model/leaf_tensors.h"

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/model/initialise.h"

namespace weft {
namespace {

template <typename T, typename D>
std::vector<LeafTensor<T>> listed(const std::vector<D*>& leaves) {
  std::vector<LeafTensor<T>> tensors;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    D& leaf = *leaves[i];
    const std::string place = leaf_label(leaf, i + 1);
    const std::string name = fmt::format("leaf.{}", i + 1);
    tensors.push_back({name + ".weight", place, Shape{leaf.out, leaf.in}, leaf.dtype, &leaf.weight});
    if (leaf.bias) tensors.push_back({name + ".bias", place, Shape{leaf.out}, leaf.dtype, &*leaf.bias});
  }
  return tensors;
}

}  // namespace

std::vector<LeafTensor<Tensor>> leaf_tensors(const std::vector<Dense*>& leaves) { return listed<Tensor>(leaves); }

std::vector<LeafTensor<const Tensor>> leaf_tensors(const std::vector<const Dense*>& leaves) {
  return listed<const Tensor>(leaves);
}

Status check_values(const LeafTensor<const Tensor>& tensor) {
  const Tensor& values = *tensor.tensor;
  if (values.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} has no values, wanted {}: give them or initialise the model", tensor.name,
                              to_string(tensor.wanted)));
  }
  if (values.shape() != tensor.wanted) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is {}, wanted {}", tensor.name, to_string(values.shape()), to_string(tensor.wanted)));
  }
  if (values.dtype() != tensor.dtype) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is {}, wanted {}", tensor.name, to_string(values.dtype()), to_string(tensor.dtype)));
  }
  return values.validate();
}

}  // namespace weft
