// A program that must not compile under -ffast-math, and does without it.
#include "multifold/ops/visit.hpp"

int main() {}
