// The one place that states the library's version; CMake reads it from here.
#pragma once

#define MULTIFOLD_VERSION "0.1.0"
