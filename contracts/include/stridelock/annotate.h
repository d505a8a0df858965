// annotate.h: contracts on plain declarations, for the analyzer.
//
// Promises:  under Clang the text becomes an annotation that `stridelock check` reads; on every other compiler it is
//            empty. It never changes what the program does.
// Does not:  check anything at compile time or run time. The text is read by requirement_text.h; one that cannot be
//            read is an error of the analyzer, with the place in the text.
//
//   void decode(at::Tensor q, STRIDELOCK_REQUIRES("contiguous; int32; rank 2|3; aligned 16") at::Tensor indices);
#pragma once

#if defined(__clang__)
#define STRIDELOCK_REQUIRES(text) [[clang::annotate("stridelock:requires:" text)]]
#else
#define STRIDELOCK_REQUIRES(text)
#endif
