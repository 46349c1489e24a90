// Cutting instructions into pieces.
#include "src/generate/grid_pieces.h"

#include <algorithm>
#include <initializer_list>

namespace weft {
namespace {

class Cutter {
 public:
  Cutter(const Program& program, const GridHomes& homes) : program_(program), homes_(homes) {}

  std::vector<GridPiece> run() {
    for (std::size_t i = 0; i < program_.code.size(); ++i) expand(static_cast<std::int32_t>(i));
    return std::move(pieces_);
  }

 private:
  GridHome home(const Operand& operand) const {
    return operand.present() ? homes_[operand.buffer].home : GridHome::kUnused;
  }

  GridPiece piece(GridWork work, GridOwner owner, std::int32_t at) const {
    GridPiece made{work, owner, at, {}, {}};
    for (const Predicate& predicate : program_.code[static_cast<std::size_t>(at)].when) {
      if (!predicate.present()) continue;
      made.when.push_back(predicate);
      made.accesses.push_back({predicate.counter, false, false, 0});
    }
    return made;
  }
  void access(GridPiece& piece, const Operand& operand, bool writes) const {
    if (!operand.present() || home(operand) == GridHome::kArgument) return;
    if (!writes && piece.owner == GridOwner::kTiles && homes_.argument_of(operand) != kNoBuffer) return;
    const GridOwner owner = home(operand) == GridHome::kRows     ? GridOwner::kRows
                            : home(operand) == GridHome::kTiles  ? GridOwner::kTiles
                            : home(operand) == GridHome::kVector ? GridOwner::kVector
                                                                 : GridOwner::kEvery;
    const bool remote = owner != GridOwner::kEvery && owner != piece.owner;
    piece.accesses.push_back({operand.buffer, writes, remote, operand.lag});
  }

  void expand(std::int32_t at) {
    const Instruction& i = program_.code[static_cast<std::size_t>(at)];
    const auto read = [&](GridPiece& p, std::initializer_list<int> operands) {
      for (const int o : operands) access(p, i.in[static_cast<std::size_t>(o)], false);
    };
    const auto write = [&](GridPiece& p, std::initializer_list<int> operands) {
      for (const int o : operands) access(p, i.out[static_cast<std::size_t>(o)], true);
    };
    const auto add = [&](GridPiece p) { pieces_.push_back(std::move(p)); };
    switch (i.op) {
      case Opcode::kForward:
      case Opcode::kGradInput:
      case Opcode::kTargetBelow: {
        if (homes_.tiling_of(i.in[1].buffer).thin) {
          GridPiece p = piece(GridWork::kThinProduct, GridOwner::kRows, at);
          read(p, {0, 1, 2}), write(p, {0, 1, 2});
          return add(p);
        }
        GridPiece tile = piece(GridWork::kTileProduct, GridOwner::kTiles, at);
        read(tile, {0, 1});
        tile.accesses.push_back({kGridPassed + at, true, false, 0});
        add(tile);
        GridPiece rest = piece(GridWork::kReduce, GridOwner::kRows, at);
        rest.accesses.push_back({kGridPassed + at, false, true, 0});
        read(rest, {2}), write(rest, {0, 1, 2});
        return add(rest);
      }
      case Opcode::kWeightGrad:
      case Opcode::kUpdate: {
        GridPiece p = piece(GridWork::kWeights, GridOwner::kTiles, at);
        read(p, {0, 1, 2}), write(p, {0});
        return add(p);
      }
      case Opcode::kBiasGrad:
      case Opcode::kBiasUpdate: {
        GridPiece p = piece(GridWork::kBias, GridOwner::kVector, at);
        read(p, {0, 2}), write(p, {0});
        return add(p);
      }
      case Opcode::kLossGap:
      case Opcode::kRms:
      case Opcode::kClip:
      case Opcode::kIsFinite:
      case Opcode::kLinkBudget: {
        GridPiece sum = piece(GridWork::kSum, owner_of(i.in[0]), at);
        read(sum, {0, 1});
        if (i.op == Opcode::kLossGap) write(sum, {0});
        sum.accesses.push_back({kGridPassed + at, true, false, 0});
        add(sum);
        GridPiece result = piece(GridWork::kResult, GridOwner::kEvery, at);
        result.accesses.push_back({kGridPassed + at, false, true, 0});
        if (i.op == Opcode::kLossGap)
          write(result, {1, 2});
        else
          write(result, {0, 1});
        return add(result);
      }
      case Opcode::kRatio:
      case Opcode::kCount:
      case Opcode::kSet:
      case Opcode::kEquals:
      case Opcode::kRefresh: {
        GridPiece p = piece(GridWork::kNumber, GridOwner::kEvery, at);
        read(p, {0, 1, 2}), write(p, {0});
        return add(p);
      }
      default: {
        const bool whole = i.op == Opcode::kSoftmax || i.op == Opcode::kSoftmaxGrad || i.op == Opcode::kRowDot;
        GridPiece p = piece(whole ? GridWork::kWholeRows : GridWork::kElements, owner_of(i.out[0]), at);
        read(p, {0, 1, 2}), write(p, {0, 1, 2});
        return add(p);
      }
    }
  }
  GridOwner owner_of(const Operand& operand) const {
    const GridHome where = home(operand);
    return where == GridHome::kTiles    ? GridOwner::kTiles
           : where == GridHome::kVector ? GridOwner::kVector
                                        : GridOwner::kRows;
  }

  const Program& program_;
  const GridHomes& homes_;
  std::vector<GridPiece> pieces_;
};

}  // namespace

bool tells_always(const Program& program, const GridPiece& sum) {
  const Instruction& i = program.code[static_cast<std::size_t>(sum.instruction)];
  const bool cross_entropy = i.op == Opcode::kLossGap && program.loss == Loss::kCrossEntropy;
  return sum.when.empty() || (sum.owner == GridOwner::kRows && !cross_entropy);
}

std::vector<GridPiece> grid_pieces(const Program& program, const GridHomes& homes) {
  return Cutter(program, homes).run();
}

bool writes(const GridPiece& piece, GridObject object) {
  return std::any_of(piece.accesses.begin(), piece.accesses.end(),
                     [&](const GridAccess& a) { return a.writes && a.object == object; });
}

bool across(const GridPiece& a, const GridPiece& b) {
  for (const GridAccess& x : a.accesses)
    for (const GridAccess& y : b.accesses)
      if (touch(x, y) && (x.remote || y.remote)) return true;
  return false;
}

bool opposite(const Predicate& a, const Predicate& b) {
  const auto one_is = [&](Predicate::Test test) { return a.test == test || b.test == test; };
  return a.counter == b.counter && one_is(Predicate::Test::kNonZero) && one_is(Predicate::Test::kZero);
}

bool sets(const Instruction& i, BufferId buffer) {
  return std::any_of(i.out.begin(), i.out.end(), [&](const Operand& out) { return out.buffer == buffer; });
}

bool exclusive(const Program& program, const GridPiece& a, const GridPiece& b) {
  const auto set_once = [&](BufferId counter) {
    return std::count_if(program.code.begin(), program.code.end(),
                         [&](const Instruction& i) { return sets(i, counter); }) <= 1;
  };
  for (const Predicate& x : a.when)
    for (const Predicate& y : b.when)
      if (opposite(x, y) && set_once(x.counter)) return true;
  return false;
}

bool has_opposite(const Program& program, const Predicate& predicate) {
  return std::any_of(program.code.begin(), program.code.end(), [&](const Instruction& i) {
    return std::any_of(i.when.begin(), i.when.end(),
                       [&](const Predicate& p) { return p.present() && opposite(p, predicate); });
  });
}

bool includes(const std::vector<Predicate>& reader, const std::vector<Predicate>& writer) {
  return std::all_of(writer.begin(), writer.end(), [&](const Predicate& predicate) {
    return std::find(reader.begin(), reader.end(), predicate) != reader.end();
  });
}

}  // namespace weft
