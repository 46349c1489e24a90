// Subject: a training program of any mode with all that it trains on, for tests that run generated programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/plan/plan.h"
#include "src/program/program.h"
#include "src/schedule/schedule.h"
#include "src/verify/compare.h"
#include "weft/weft.hpp"

namespace weft::test {

/// A buffer that a program keeps, as a device of float32 has it.
struct KeptBuffer {
  BufferId id = kNoBuffer;
  std::vector<float> elements;  // of all slots; counters by their bits
};

struct Subject {
  static constexpr std::int64_t kCalls = 5, kSamples = 50;
  std::string name;
  std::unique_ptr<Plan> plan;
  Program program;
  std::int64_t batch = 1, input_elements = 1, target_elements = 1;
  std::vector<float> inputs, targets;  // of kSamples samples
  std::vector<std::int64_t> order;     // of kCalls batches
  std::vector<double> rates;
  std::vector<KeptBuffer> kept;  // at first
};

Subject make_subject(verify::CompareModel model, Mode mode, const Optimizer& optimizer);

/// The line with as many samples in front of its ops as it has ops.
Call full_call(const Plan& plan, const verify::CompareModel& model, Mode mode);

/// A model for every mode, all of them where `all`; every optimizer; sizes that fill and do not fill tiles.
std::vector<Subject> subjects(bool all);

}  // namespace weft::test
