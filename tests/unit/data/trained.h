// Sources as a training leaves them: split, and what is kept of that.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/data/complaint.h"
#include "weft/preparation.hpp"

namespace weft::test {

// A source, how it was split, and what is kept of that.
struct Trained {
  data::Dataset dataset;
  data::Split parts;
  data::Preparation preparation;
};

inline Trained trained_on(const std::string& source, const data::ReadOptions& options = {},
                          const data::SplitOptions& split = {}) {
  Trained trained;
  auto dataset = data::read(source, options);
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  auto parts = data::split(*dataset, split);
  EXPECT_TRUE(parts.ok()) << parts.status().message();
  trained.preparation = preparation_of(*dataset, split, *parts);
  trained.dataset = *std::move(dataset);
  trained.parts = *std::move(parts);
  return trained;
}

inline void expect_same(const data::Samples& a, const data::Samples& b) {
  EXPECT_EQ(a.inputs.shape(), b.inputs.shape());
  EXPECT_EQ(numbers(a.inputs), numbers(b.inputs));
  EXPECT_EQ(numbers(a.targets), numbers(b.targets));
  EXPECT_EQ(a.labels, b.labels);
}

// The source is read and its parts are drawn again, by what is kept alone: the same numbers to the bit.
inline void expect_drawn_again(const Trained& trained) {
  const auto kept = data::preparation_from_json(to_json(trained.preparation));
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  EXPECT_EQ(*kept, trained.preparation);
  const auto again = data::read_alike(kept->reading.source, *kept);
  ASSERT_TRUE(again.ok()) << again.status().message();
  for (const auto& [part, samples] : {std::pair(data::Part::kTrain, &trained.parts.train),
                                      std::pair(data::Part::kValidation, &trained.parts.validation),
                                      std::pair(data::Part::kTest, &trained.parts.test)}) {
    if (samples->size() == 0) continue;
    const auto drawn = data::prepare_part(*again, *kept, part);
    ASSERT_TRUE(drawn.ok()) << drawn.status().message();
    expect_same(*drawn, *samples);
  }
}

// What reading and preparing other rows alike comes to: "ok" or the message.
inline std::string complaint(const std::string& source, const data::Preparation& preparation,
                             const data::ReadOptions& options) {
  const auto dataset = data::read_alike(source, preparation, options);
  if (!dataset.ok()) return dataset.status().message();
  const auto samples = data::prepare(*dataset, preparation);
  return samples.ok() ? "ok" : samples.status().message();
}

inline std::string complaint(const std::string& source, const data::Preparation& preparation) {
  return complaint(source, preparation, read_options(preparation));
}

// Three classes, a number, a colour.
inline std::string flowers(const std::string& end = "") {
  std::string text = "size,colour,kind\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? ".5,red," : ",blue,") +
            (i % 3 == 0   ? "a"
             : i % 3 == 1 ? "b"
                          : "c") +
            "\n";
  }
  return text + end;
}

}  // namespace weft::test
