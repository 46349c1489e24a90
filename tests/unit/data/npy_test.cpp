// NPY files, good and bad.
#include <gmock/gmock.h>

#include <bit>

#include "src/data/npy.h"
#include "tests/unit/data/complaint.h"
#include "tests/unit/data/npy_bytes.h"

namespace weft {
namespace {

using test::bytes_of;
using test::npy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> read(const std::string& bytes) {
  auto array = data::read_npy(bytes, "F");
  EXPECT_TRUE(array.ok()) << array.status().message();
  if (!array.ok()) return {};
  auto values = to_floats(*array);
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() ? *values : std::vector<float>();
}

std::string complaint(const std::string& bytes) {
  auto array = data::read_npy(bytes, "F");
  Status status = array.status();
  if (array.ok()) status = to_floats(*array).status();
  return status.ok() ? "ok" : std::string(to_string(status.code())) + ": " + status.message();
}

// The files and the numbers are in memory together; an array in Fortran's order is so twice.
TEST(Npy, MemoryIsOfFilesAndNumbers) {
  const test::TemporaryFolder folder;
  const std::string inputs = npy("|u1", "(8, 3)", std::string(24, '\1')),
                    labels = npy("|u1", "(8,)", std::string(8, '\1'));
  test::spill(folder / "x", inputs);
  test::spill(folder / "y", labels);
  const auto read = [&](std::uint64_t memory) {
    return data::npy(folder / "x", folder / "y", {.memory = memory}).status().message();
  };
  const std::uint64_t sum = 8 * (3 * 4 + 12) + inputs.size() + labels.size();
  EXPECT_EQ(read(sum), "");
  EXPECT_THAT(read(sum - 1), HasSubstr("x: 8 rows x (3 columns x 4 + 12 bytes) + "));
  std::string turned = inputs;
  turned.replace(turned.find("False"), 5, "True ");
  test::spill(folder / "x", turned);
  EXPECT_THAT(read(sum + 8 * 3 * 4 - 1), HasSubstr(" GB of the file = "));
  EXPECT_EQ(read(sum + 8 * 3 * 4), "");
}

TEST(Npy, EveryType) {
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    const auto pair = [&](std::uint64_t a, std::uint64_t b, int count) {
      return bytes_of(a, count, big) + bytes_of(b, count, big);
    };
    EXPECT_THAT(read(npy(order + "u2", "(2,)", pair(1, 65535, 2))), ElementsAre(1, 65535));
    EXPECT_THAT(read(npy(order + "u4", "(2,)", pair(1, 1 << 20, 4))), ElementsAre(1, 1 << 20));
    EXPECT_THAT(read(npy(order + "u8", "(2,)", pair(1, 1ull << 40, 8))), ElementsAre(1, 1099511627776.0f));
    EXPECT_THAT(read(npy(order + "i2", "(2,)", pair(1, 0xfffe, 2))), ElementsAre(1, -2));
    EXPECT_THAT(read(npy(order + "i4", "(2,)", pair(1, 0xfffffffe, 4))), ElementsAre(1, -2));
    EXPECT_THAT(read(npy(order + "i8", "(2,)", pair(1, ~std::uint64_t{1}, 8))), ElementsAre(1, -2));
    EXPECT_THAT(read(npy(order + "f4", "(2,)", pair(0x3fc00000, 0xc0000000, 4))), ElementsAre(1.5f, -2.0f));
    EXPECT_THAT(
        read(npy(order + "f8", "(2,)", pair(std::bit_cast<std::uint64_t>(0.1), std::bit_cast<std::uint64_t>(-2.5), 8))),
        ElementsAre(0.1f, -2.5f));
    // Half precision: 1.5, the least above 0, the largest, -0.25.
    EXPECT_THAT(read(npy(order + "f2", "(4,)", pair(0x3e00, 0x0001, 2) + pair(0x7bff, 0xb400, 2))),
                ElementsAre(1.5f, 5.9604645e-08f, 65504.0f, -0.25f));
  }
  EXPECT_THAT(read(npy("|u1", "(2,)", "\x01\xff")), ElementsAre(1, 255));
  EXPECT_THAT(read(npy("|i1", "(2,)", "\x01\xff")), ElementsAre(1, -1));
  EXPECT_THAT(read(npy("|b1", "(2,)", std::string("\1\0", 2))), ElementsAre(1, 0));
}

TEST(Npy, OrdersVersionsAndShapes) {
  EXPECT_THAT(read(npy("|u1", "(2, 3)", test::u8s({1, 2, 3, 4, 5, 6}))), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read(npy("|u1", "(2, 3)", test::u8s({1, 4, 2, 5, 3, 6}), true)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read(npy("|u1", "(2, 1, 2)", test::u8s({1, 3, 2, 4}), true)), ElementsAre(1, 2, 3, 4));
  const std::string header = "{\"shape\":(2,),'descr':\"|u1\",'fortran_order':False}";
  for (const int major : {1, 2, 3}) EXPECT_THAT(read(test::npy_with(header, "\1\2", major)), ElementsAre(1, 2));
  EXPECT_THAT(read(npy("|u1", "(2L,)", "\1\2")), ElementsAre(1, 2));
  EXPECT_THAT(read(npy("|u1", "()", "\7")), ElementsAre(7));
}

TEST(Npy, WhatIsRefused) {
  EXPECT_EQ(complaint(npy("|O", "(2,)", "pickle")),
            "unsupported: F: descr: '|O', pickled Python objects, which are not read because they can run code; wanted "
            "numbers");
  for (const char* descr : {"<c8", "<U4", "|S3", "<M8", "<f16", "<i3", "f4", ""}) {
    EXPECT_THAT(complaint(npy(descr, "(2,)", "")),
                HasSubstr(std::string("unsupported: F: descr: '") + descr + "', wanted b1, u1"));
  }
  EXPECT_THAT(complaint(test::npy_with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
              HasSubstr("unsupported: F: descr: records of several fields"));
}

TEST(Npy, WhatIsDamaged) {
  const std::string good = npy("<f4", "(2, 2)", std::string(16, '\0'));
  EXPECT_EQ(complaint(good), "ok");
  EXPECT_EQ(complaint(""), "data loss: F: empty, wanted an NPY file");
  EXPECT_THAT(complaint("PK\x03\x04...."), HasSubstr("F: starts with 'PK??..', wanted \\x93NUMPY"));
  EXPECT_EQ(complaint(good.substr(0, good.size() - 5)),
            "data loss: F: truncated: 11 bytes of numbers, wanted 16 for shape [2, 2] of float32");
  EXPECT_THAT(complaint(good + "x"), HasSubstr("data loss: F: 1 bytes behind the numbers, wanted none"));
  EXPECT_THAT(complaint(good.substr(0, 9)), HasSubstr("F: truncated: 9 bytes, wanted a header"));
  EXPECT_THAT(complaint(good.substr(0, 30)), HasSubstr("F: truncated: 20 bytes of header, wanted 63"));
  EXPECT_THAT(complaint(test::npy_with("{}", "", 4)), HasSubstr("F: version 4.0, wanted 1.0 to 3.0"));
  const auto header = [&](const std::string& text) { return complaint(test::npy_with(text, "\1\2")); };
  EXPECT_THAT(header("[]"), HasSubstr("F: header: '[]' at byte 0, wanted '{'"));
  EXPECT_THAT(header("{'descr': '|u1', 'shape': (2,)}"), HasSubstr("header: the key 'fortran_order' is missing"));
  EXPECT_THAT(header("{'descr': '|u1', 'descr': '|u1'}"), HasSubstr("header: key 'descr' twice"));
  EXPECT_THAT(header("{'colour': 1}"), HasSubstr("header: key 'colour', wanted descr, fortran_order and shape"));
  EXPECT_THAT(header("{'shape': (-2,)}"), HasSubstr("header: '-2,)}' at byte 11, wanted an axis"));
  EXPECT_THAT(header("{'shape': (99999999999999999999,)}"), HasSubstr("wanted an axis"));
  EXPECT_THAT(header("{'shape': 2}"), HasSubstr("header: '2}' at byte 10, wanted '('"));
  EXPECT_THAT(header("{'fortran_order': 1}"), HasSubstr("wanted True or False"));
  EXPECT_THAT(header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)} x"),
              HasSubstr("wanted nothing behind '}'"));
  EXPECT_THAT(header("{'descr': '|u1'"), HasSubstr("header: its end at byte 15, wanted ',' or '}'"));
  EXPECT_THAT(header("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2)}"),
              HasSubstr("F: empty: shape [0, 2], wanted axes of at least 1"));
  EXPECT_THAT(header("{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2)}"),
              HasSubstr("truncated: 2 bytes of numbers, wanted more than 2^60"));
}

TEST(Npy, NumbersThatAreNotFinite) {
  const std::string nan = bytes_of(0x7fc00000, 4), inf = bytes_of(0xff800000, 4), zero(4, '\0');
  EXPECT_EQ(complaint(npy("<f4", "(2, 2)", zero + zero + nan + inf)),
            "invalid argument: F: element [1, 0]: nan, wanted a finite number of size at most 3.4e38");
  EXPECT_THAT(complaint(npy("<f4", "(2, 2)", zero + nan + zero + zero, true)), HasSubstr("F: element [1, 0]: nan"));
  EXPECT_THAT(complaint(npy("<f8", "(1,)", bytes_of(std::bit_cast<std::uint64_t>(1e300), 8))),
              HasSubstr("element [0]: 1e+300, wanted"));
  EXPECT_THAT(complaint(npy("|b1", "(2,)", "\1\2")), HasSubstr("data loss: F: element [1]: 2, wanted 0 or 1"));
}

TEST(Npy, InputsAndTargets) {
  const test::TemporaryFolder folder;
  test::spill(folder / "x.npy", npy("|u1", "(3, 2)", test::u8s({1, 2, 3, 4, 5, 6})));
  test::spill(folder / "y.npy", npy("<i8", "(3,)", bytes_of(2, 8) + bytes_of(0, 8) + bytes_of(2, 8)));
  test::spill(folder / "t.npy", npy("<f4", "(3, 2)", std::string(24, '\0')));
  const auto d = data::npy(folder / "x.npy", folder / "y.npy");
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_THAT(d->labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(d->classes, ElementsAre("0", "2"));
  EXPECT_EQ(d->inputs.shape(), (Shape{3, 2}));
  const auto r = data::npy(folder / "x.npy", folder / "t.npy", {.task = data::Task::kRegression});
  ASSERT_TRUE(r.ok()) << r.status().message();
  EXPECT_EQ(r->targets.shape(), (Shape{3, 2}));
  EXPECT_THAT(data::npy(folder / "x.npy", folder / "t.npy").status().message(),
              HasSubstr("t.npy: shape [3, 2], wanted labels of shape [3] (numbers to learn are a regression)"));
  test::spill(folder / "h.npy", npy("<f4", "(3,)", bytes_of(0, 4) + bytes_of(0x3f000000, 4) + bytes_of(0, 4)));
  EXPECT_THAT(data::npy(folder / "x.npy", folder / "h.npy").status().message(),
              HasSubstr("h.npy: row 1: 0.5, wanted a whole number, the label of a class"));
  test::spill(folder / "s.npy", npy("|u1", "()", "\7"));
  EXPECT_THAT(data::npy(folder / "s.npy", {}).status().message(),
              HasSubstr("a single number, wanted shape [rows, ...]"));
}

}  // namespace
}  // namespace weft
