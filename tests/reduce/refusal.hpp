// Whether something is refused, with which error and in which words.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "multifold/error.hpp"

namespace test {

template <class Error, class Work>
void expect_refusal(const std::string& message, const Work& work) {
  try {
    work();
    ADD_FAILURE() << "nothing was refused; expected: " << message;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
  }
}

/// What the library's error says; nothing if there is none.
template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
    return "";
  } catch (const multifold::error& e) {
    return e.what();
  }
}

}  // namespace test
