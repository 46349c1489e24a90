// The devices by name, and what each says where it cannot be had.
#include "src/backend/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/device.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;

TEST(Registry, ListsTheFourDevicesInOrder) {
  const std::vector<DeviceInfo> all = devices();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "cpu");
  EXPECT_EQ(all[1].name, "native_cpu");
  EXPECT_EQ(all[2].name, "cuda");
  EXPECT_EQ(all[3].name, "metal");
  EXPECT_TRUE(all[0].available);
  EXPECT_EQ(all[0].description, "reference, slow");
  for (const DeviceInfo& device : all) {
    EXPECT_FALSE(device.description.empty()) << device.name;
    EXPECT_EQ(device.reason.empty(), device.available) << device.name << ": " << device.reason;
  }
}

TEST(Registry, RefusesAnUnknownNameAndListsTheKnown) {
  const auto backend = create_backend("tpu", DType::kFloat32);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(backend.status().message(), HasSubstr("'tpu'"));
  EXPECT_THAT(backend.status().message(), HasSubstr("cpu, native_cpu, cuda, metal"));
}

TEST(Registry, CpuCarriesBothFloatsAndNothingElse) {
  EXPECT_TRUE(create_backend("cpu", DType::kFloat32).ok());
  EXPECT_TRUE(create_backend("cpu", DType::kFloat64).ok());
  const auto backend = create_backend("cpu", DType::kInt8);
  EXPECT_EQ(backend.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(backend.status().message(), HasSubstr("int8"));
}

TEST(Registry, NativeCpuRefusesFloat64NamingCpu) {
  const auto backend = create_backend("native_cpu", DType::kFloat64);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(backend.status().message(), HasSubstr("device cpu"));
#ifdef WEFT_HAVE_BLAS
  EXPECT_TRUE(create_backend("native_cpu", DType::kFloat32).ok());
#else
  EXPECT_THAT(backend.status().message(), HasSubstr("built without OpenBLAS and Highway"));
#endif
}

}  // namespace
}  // namespace weft::test
