// Fleets: members side by side on a device's own terms, or one to a thread.
#include "weft/fleet.hpp"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>

#include "src/core/in_threads.h"
#include "src/core/try.h"
#include "src/session/fit_run.h"
#include "src/session/impl.h"

namespace weft {
namespace {

using Members = std::vector<Session::Impl*>;
using Options = std::vector<FitOptions>;
using Results = std::vector<Result<FitResult>>;

Status of_member(std::size_t member, const Status& status) {
  return {status.code(), fmt::format("fleet: member {}: {}", member, status.message())};
}

/// Whole fits, one to a thread.
Results fit_in_threads(const Members& members, const HeldSamples& samples, const Options& options) {
  std::vector<std::optional<Result<FitResult>>> done(members.size());
  in_threads(members.size(), [&](std::size_t i) { done[i] = members[i]->fit(samples, options[i]); });
  Results results;
  for (auto& result : done) results.push_back(*std::move(result));
  return results;
}

/// Runs of all members that are not done, handed to the device together.
/// calls: of all members, so that a device can tell that order and rates are the same; null: each has its own.
Results fit_together(const Members& members, const HeldSamples& samples, const Options& options,
                     const std::shared_ptr<const FitCalls>& calls, void (*run_together)(std::span<const MemberRun>)) {
  std::vector<std::optional<Result<FitRun>>> fits(members.size());
  std::vector<Status> statuses(members.size());
  const auto running = [&](std::size_t i) { return fits[i]->ok() && !(*fits[i])->progress.done(); };
  const auto next = [&](std::size_t i) {
    if (!running(i)) return;
    if (const Status status = members[i]->next_run(**fits[i]); !status.ok()) *fits[i] = status;
  };
  in_threads_if_long(members.size(), [&](std::size_t i) {
    fits[i] = members[i]->begin_fit(samples, options[i], calls);
    next(i);
  });
  for (std::vector<MemberRun> runs;; runs.clear()) {
    for (std::size_t i = 0; i < members.size(); ++i)
      if (running(i)) runs.push_back({&members[i]->backend(), (*fits[i])->program, &(*fits[i])->calls, &statuses[i]});
    if (runs.empty()) break;
    run_together(runs);
    in_threads_if_long(members.size(), [&](std::size_t i) {
      if (!running(i)) return;
      if (const Status status = members[i]->end_run(**fits[i], statuses[i]); !status.ok()) *fits[i] = status;
      next(i);
    });
  }
  Results results;
  for (const auto& fit : fits) results.push_back(fit->ok() ? Result<FitResult>((*fit)->result()) : fit->status());
  return results;
}

template <typename Model>
Result<Fleet> mount_all(std::span<Model> models, MountOptions options) {
  if (options.threads == 0 && options.device == "native_cpu") options.threads = 1;
  std::vector<Session> members;
  for (Model& model : models) {
    auto session = mount(model, options);
    if (!session.ok()) return of_member(members.size(), session.status());
    members.push_back(*std::move(session));
  }
  return Fleet::make(std::move(members));
}

}  // namespace

Result<Fleet> Fleet::make(std::vector<Session> members) {
  if (members.empty()) return Status{StatusCode::kInvalidArgument, "fleet: it has no members, wanted 1 or more"};
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (const Status status = members[i].usable(); !status.ok()) return of_member(i, status);
    const DeviceKey &first = members[0].impl_->device(), &own = members[i].impl_->device();
    if (!(own == first))
      return Status{StatusCode::kInvalidArgument,
                    fmt::format("fleet: member {} is on {}, member 0 on {}; wanted one device", i, to_string(own),
                                to_string(first))};
  }
  return Fleet(std::move(members));
}

Result<std::vector<FitResult>> Fleet::fit(const HeldSamples& samples, std::span<const FitOptions> options) {
  if (options.size() != 1 && options.size() != members_.size())
    return Status{
        StatusCode::kInvalidArgument,
        fmt::format("fleet: {} fit options, wanted 1 or one for each of {} members", options.size(), members_.size())};
  const BackendEntry* device = find_backend(members_[0].impl_->device().name);
  const bool together = device != nullptr && device->run_together != nullptr;
  std::mutex reporting;
  // Where they are not as they should be, each member says so.
  std::shared_ptr<const FitCalls> calls;
  if (together && options.size() == 1 && samples.impl() != nullptr) {
    if (auto made = FitCalls::make(options[0], samples.impl()->rows->rows().count); made.ok()) calls = *made;
  }
  Members members;
  Options each;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members.push_back(members_[i].impl_.get());
    each.push_back(options[options.size() == 1 ? 0 : i]);
    if (auto report = each.back().report; report) {
      each.back().report = [report, &reporting](const FitReport& progress) {
        const std::lock_guard lock(reporting);
        return report(progress);
      };
    }
  }
  const Results results = together ? fit_together(members, samples, each, calls, device->run_together)
                                   : fit_in_threads(members, samples, each);
  std::vector<FitResult> values;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].ok()) return of_member(i, results[i].status());
    values.push_back(*results[i]);
  }
  return values;
}

Result<Fleet> mount_fleet(std::span<Stack> models, const MountOptions& options) { return mount_all(models, options); }
Result<Fleet> mount_fleet(std::span<Grid> models, const MountOptions& options) { return mount_all(models, options); }

}  // namespace weft
