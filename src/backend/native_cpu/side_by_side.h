// SideBySide: updates of several leaves that do not depend on each other, run as one piece of work.
#pragma once

#include <cstddef>
#include <vector>

#include "src/backend/native_cpu/product.h"

namespace weft {
struct Program;
}

namespace weft::native_cpu {

struct Prepared;
struct Step;

/// A run of steps of one level: products into weights or their gradients. Threads take pieces of all of them as they
/// come and wait for each other once. Every element is summed as in a step of its own.
class SideBySide {
 public:
  /// Steps first .. first + count - 1.
  SideBySide(const std::vector<Step>& steps, std::size_t first, std::size_t count, int threads);

  std::size_t first() const { return first_; }
  std::size_t count() const { return products_.size(); }

  /// Runs those whose predicates hold; operands have been found.
  void run(Team& team, const std::vector<Step>& steps, double lr);

 private:
  struct Share {
    std::size_t product;
    Piece piece;
  };
  std::size_t first_;
  std::vector<Product> products_;
  std::vector<char> due_;
  std::vector<Share> shares_;  // the largest first, so that the last ones to be taken are short
};

/// Orders the steps of a program by level and notes what runs side by side, where that pays on so many threads.
void arrange(Prepared& prepared, const Program& program, int threads);

}  // namespace weft::native_cpu
