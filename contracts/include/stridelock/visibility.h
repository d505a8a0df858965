// visibility.h: which names other shared libraries may see, whatever -fvisibility says.
//
// Promises:  STRIDELOCK_PUBLIC marks what must be one thing in the whole process (the exception's type) or be found by
//            name (the C interface, exported contracts).
// Does not:  mark everything: a library linked statically keeps its copy to itself.
#pragma once

#if defined(_WIN32)
#define STRIDELOCK_PUBLIC
#else
#define STRIDELOCK_PUBLIC __attribute__((visibility("default")))
#endif
