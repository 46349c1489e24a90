// LeafTensor: a weight or a bias of a model, under its name in files.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "weft/op.hpp"

namespace weft {

/// T is Tensor or const Tensor.
template <typename T>
struct LeafTensor {
  std::string name;   // "leaf.1.weight"
  std::string place;  // "dense 'fc1' (leaf 1)", for messages
  Shape wanted;
  DType dtype;  // that the leaf wants
  T* tensor;    // the model's own, empty where it was not given
};

/// Every weight and bias below the leaves of a model, in its order.
std::vector<LeafTensor<Tensor>> leaf_tensors(const std::vector<Dense*>& leaves);
std::vector<LeafTensor<const Tensor>> leaf_tensors(const std::vector<const Dense*>& leaves);

/// That the tensor has values of the wanted shape and type. Errors: kInvalidArgument, without the place.
Status check_values(const LeafTensor<const Tensor>& tensor);

}  // namespace weft
