// A file that is there complete or not at all.
//
// Promises:  readers of the path see the old content or the new, never a part; a failure leaves no file behind.
//            "-" is standard output; a path that exists and is no regular file (/dev/null, a pipe) is written to.
#pragma once

#include <string>
#include <string_view>

namespace stridelock::tool {

// Throws failure.
void write_output(const std::string& path, std::string_view bytes);

// Throws failure if write_output(path, …) could not work: asked before hours of work, not after.
void require_writable(const std::string& path);

}  // namespace stridelock::tool
