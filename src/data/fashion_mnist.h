// Fashion-MNIST before it is split and scaled.
#pragma once

#include <filesystem>

#include "weft/data.hpp"

namespace weft::data {

/// 70,000 images 28x28 of 0..255, the last 10,000 the test part. Errors as fashion_mnist().
Result<Dataset> fashion_mnist_dataset(const std::filesystem::path& folder, std::uint64_t memory = 0);

}  // namespace weft::data
