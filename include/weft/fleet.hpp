// Fleet: many sessions trained together: the same net from many seeds, at many rates, in many modes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "weft/session.hpp"

namespace weft {

/// Sessions on one device. A GPU trains members of one architecture, mode and batch size in one launch, a network to a
/// multiprocessor; a CPU trains one member to a thread. Each member gets the bits that it would get alone.
class Fleet {
 public:
  /// Errors: kInvalidArgument where there is no member, or the members are on different devices.
  static Result<Fleet> make(std::vector<Session> members);

  std::size_t size() const { return members_.size(); }
  Session& operator[](std::size_t member) { return members_[member]; }

  /// Takes samples to the device once, for all members; see Session::hold.
  Result<HeldSamples> hold(const data::Samples& samples) { return members_.front().hold(samples); }

  /// One fit of every member, with options[i] for member i, or options[0] for all where there is one. Reports come one
  /// at a time, of whichever member is due, from any thread. Results are by member. Errors: kInvalidArgument for
  /// another number of options; else the first of a member, naming it ("fleet: member 3:
  /// ..."); the other members have then been trained all the same.
  Result<std::vector<FitResult>> fit(const HeldSamples& samples, std::span<const FitOptions> options);

 private:
  explicit Fleet(std::vector<Session> members) : members_(std::move(members)) {}

  std::vector<Session> members_;
};

/// Mounts every model; the models outlive the fleet. On native_cpu a member has one thread where options name none.
/// Errors: as mount, naming the member.
Result<Fleet> mount_fleet(std::span<Stack> models, const MountOptions& options = {});
Result<Fleet> mount_fleet(std::span<Grid> models, const MountOptions& options = {});

}  // namespace weft
