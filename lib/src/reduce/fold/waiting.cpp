// Where the tasks of a fold wait for each other.
#include <map>
#include <mutex>
#include <utility>

#include "multifold/fold/shape.hpp"

namespace multifold::inline v0_1::detail {
namespace {

class waiting_groups final : public fold_waiting {
 public:
  std::shared_ptr<void> meet(int level, std::int64_t number, const std::shared_ptr<void>& mine) override {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find({level, number ^ 1});
    if (found != groups_.end()) return groups_.extract(found).mapped();
    groups_.emplace(std::pair(level, number), mine);
    return nullptr;
  }

  std::shared_ptr<void> take() override {
    return groups_.empty() ? nullptr : groups_.extract(groups_.begin()).mapped();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, std::int64_t>, std::shared_ptr<void>> groups_;
};

}  // namespace

std::unique_ptr<fold_waiting> make_fold_waiting() { return std::make_unique<waiting_groups>(); }

}  // namespace multifold::inline v0_1::detail
