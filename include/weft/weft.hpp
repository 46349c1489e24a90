// All of weft's public C++ interface.
#pragma once

#if __cplusplus < 202002L
#error "weft needs C++20 (-std=c++20)"
#endif

#include "weft/activation.hpp"
#include "weft/data.hpp"
#include "weft/device.hpp"
#include "weft/dtype.hpp"
#include "weft/fleet.hpp"
#include "weft/grid.hpp"
#include "weft/initialise.hpp"
#include "weft/learning_rate.hpp"
#include "weft/loss.hpp"
#include "weft/mode.hpp"
#include "weft/model_file.hpp"
#include "weft/op.hpp"
#include "weft/optimizer.hpp"
#include "weft/precision.hpp"
#include "weft/preparation.hpp"
#include "weft/random.hpp"
#include "weft/session.hpp"
#include "weft/shape.hpp"
#include "weft/state.hpp"
#include "weft/status.hpp"
#include "weft/tensor.hpp"
#include "weft/version.hpp"
