// Contenders by short names, for the tables of cases.
#pragma once

#include <string>
#include <utility>

#include "device/cases.hpp"

namespace bench {

inline contender simple(std::string label, contender::kind what) {
  contender c;
  c.name = std::move(label);
  c.what = what;
  return c;
}
inline contender read() { return simple("read", contender::kind::read); }

inline contender ours(std::string label = "multifold", multifold::plan_options forced = {}) {
  contender c = simple(std::move(label), contender::kind::ours);
  c.forced = forced;
  return c;
}

inline contender peer(std::string label, peer_function call, multifold::dtype result, tolerance allowed) {
  contender c = simple(std::move(label), contender::kind::peer);
  c.peer = call;
  c.result = result;
  c.allowed = allowed;
  return c;
}
inline contender cub(peer_function call, multifold::dtype result, tolerance allowed) {
  return peer("cub", call, result, allowed);
}

}  // namespace bench
