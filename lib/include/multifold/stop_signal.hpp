// How a caller breaks off a reduction: a std::stop_token, or anything else that can be asked.
#pragma once

#include <functional>
#include <utility>

namespace multifold::inline v0_1 {

/// Asked now and then, from several threads at once, by whatever takes long.
class stop_signal {
 public:
  stop_signal() = default;  // never stops

  /// A std::stop_token, or what else has stop_requested(). It is copied.
  template <class Token>
  requires requires(const Token& token) { static_cast<bool>(token.stop_requested()); }
  stop_signal(Token token) {  // NOLINT: a token is a signal
    if constexpr (requires { token.stop_possible(); }) {
      if (!token.stop_possible()) return;
    }
    asks_ = [token = std::move(token)] { return static_cast<bool>(token.stop_requested()); };
  }
  stop_signal(const stop_signal&) = default;
  stop_signal(stop_signal&&) noexcept = default;
  stop_signal& operator=(const stop_signal&) = default;
  stop_signal& operator=(stop_signal&&) noexcept = default;
  ~stop_signal() = default;

  bool stop_possible() const noexcept { return asks_ != nullptr; }
  bool stop_requested() const { return asks_ && asks_(); }

 private:
  std::function<bool()> asks_;
};

}  // namespace multifold::inline v0_1
