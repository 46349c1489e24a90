// The programs of the 33 modes as text. WEFT_UPDATE_LISTINGS=1 writes the files anew; read the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "src/io/atomic_file.h"
#include "src/io/read_file.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

Dense zeros(std::int64_t in, std::int64_t out, Activation activation, bool bias = false) {
  Dense layer = dense(in, out, activation, {.bias = bias, .weight = Tensor(Shape{out, in})});
  if (bias) layer.bias = Tensor(Shape{out});
  return layer;
}

std::string listing(Mode mode) {
  Trainer trainer(chain(mode.schedule, {zeros(6, 5, weft::tanh, true), zeros(5, 4, relu), zeros(4, 3, linear)}));
  return trainer.session().print_program({2, 6}, {2, 3}, {.mode = mode, .ticks = 4}).value();
}

class Listing : public testing::TestWithParam<ModeParam> {};
WEFT_FOR_EVERY_MODE(Listing);

TEST_P(Listing, IsAsRecorded) {
  const Mode mode = GetParam().mode;
  const auto file = std::filesystem::path(WEFT_TEST_DATA_DIR) / "programs" / (to_string(mode) + ".txt");
  const std::string text = listing(mode);
  if (const char* update = std::getenv("WEFT_UPDATE_LISTINGS"); update != nullptr && *update == '1') {
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(write_file_atomically(file, text.data(), text.size()).ok());
    return;
  }
  const auto recorded = read_file(file);
  ASSERT_TRUE(recorded.ok()) << recorded.status().message();
  EXPECT_EQ(text, *recorded) << "read the difference; WEFT_UPDATE_LISTINGS=1 records it";
}

}  // namespace
}  // namespace weft::test
