// Bench: a device with a few named buffers on it, each followed by sentinels, to run single instructions on.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/backend/backend.h"

namespace weft::test {

class Bench {
 public:
  explicit Bench(std::string_view device = "cpu", DType storage = DType::kFloat32)
      : storage_(storage), backend_(create_backend(device, storage).value()) {}

  /// A storage buffer that holds `values`, one slot, with sentinels behind them.
  Operand values(const std::string& name, const std::vector<double>& values) { return ring(name, {values}); }

  /// A storage buffer of one slot for each list; all lists have one length.
  Operand ring(const std::string& name, const std::vector<std::vector<double>>& slots) {
    const auto used = static_cast<std::int64_t>(slots.front().size());
    const BufferId id = buffers_.require(name, Element::kStorage, Role::kScratch, used + kSentinels,
                                         static_cast<std::int64_t>(slots.size()));
    sizes_[id] = used;
    backend_->reserve(buffers_).value();
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      std::vector<double> padded = slots[slot];
      padded.insert(padded.end(), kSentinels, kSentinel);
      write(id, static_cast<std::int64_t>(slot), padded);
    }
    return {id, 0};
  }

  Operand real(const std::string& name, double value) { return number(name, Element::kReal, value); }
  Operand counter(const std::string& name, std::uint64_t value) { return number(name, Element::kCounter, value); }

  /// What a storage buffer holds, without its sentinels; these must be unharmed.
  std::vector<double> read(Operand operand, std::int64_t slot = 0) {
    const std::int64_t used = sizes_.at(operand.buffer);
    const auto all = static_cast<std::size_t>(used + kSentinels);
    std::vector<double> read(all);
    if (storage_ == DType::kFloat64) {
      backend_->read(operand.buffer, slot, read.data(), all * sizeof(double)).value();
    } else {
      std::vector<float> stored(all);
      backend_->read(operand.buffer, slot, stored.data(), all * sizeof(float)).value();
      read.assign(stored.begin(), stored.end());
    }
    for (std::size_t i = static_cast<std::size_t>(used); i < all; ++i) {
      EXPECT_EQ(read[i], kSentinel) << buffers_[operand.buffer].name << " was written past its end";
    }
    read.resize(static_cast<std::size_t>(used));
    return read;
  }
  double read_real(Operand operand) { return read_number<double>(operand); }
  std::uint64_t read_counter(Operand operand) { return read_number<std::uint64_t>(operand); }

  Status run(const std::vector<Instruction>& code, const RunArguments& arguments = {}) {
    program_.code = code;
    return backend_->run(program_, arguments);
  }
  Status run(const Instruction& instruction, const RunArguments& arguments = {}) {
    return run(std::vector<Instruction>{instruction}, arguments);
  }

  Program& program() { return program_; }
  BufferTable& buffers() { return buffers_; }
  Backend& backend() { return *backend_; }

 private:
  static constexpr std::int64_t kSentinels = 3;
  static constexpr double kSentinel = -77.25;

  void write(BufferId id, std::int64_t slot, const std::vector<double>& values) {
    if (storage_ == DType::kFloat64) {
      backend_->write(id, slot, values.data(), values.size() * sizeof(double)).value();
    } else {
      std::vector<float> stored(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) stored[i] = static_cast<float>(values[i]);
      backend_->write(id, slot, stored.data(), stored.size() * sizeof(float)).value();
    }
  }

  template <typename T>
  Operand number(const std::string& name, Element element, T value) {
    const BufferId id = buffers_.require(name, element, Role::kRule, 1);
    backend_->reserve(buffers_).value();
    backend_->write(id, 0, &value, sizeof value).value();
    return {id, 0};
  }
  template <typename T>
  T read_number(Operand operand) {
    T value{};
    backend_->read(operand.buffer, 0, &value, sizeof value).value();
    return value;
  }

  DType storage_;
  BufferTable buffers_;
  std::unique_ptr<Backend> backend_;
  Program program_;
  std::map<BufferId, std::int64_t> sizes_;
};

/// An instruction over m rows, n output columns, k input columns.
inline Instruction instruction(Opcode op, std::int64_t m, std::int64_t n, std::int64_t k, std::array<Operand, 3> in,
                               std::array<Operand, 3> out) {
  Instruction made;
  made.op = op;
  made.m = m, made.n = n, made.k = k;
  made.in = in;
  made.out = out;
  return made;
}

}  // namespace weft::test
