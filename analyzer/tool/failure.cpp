#include "analyzer/tool/failure.h"

#include "analyzer/report/place.h"
#include "analyzer/report/utf8.h"

namespace stridelock::tool {

failure::failure(const std::string& message)
    : std::runtime_error("stridelock: error: " + report::printable(message)) {}

failure::failure(const std::string& file, std::uint32_t line, std::uint32_t column,
                 const std::string& message)
    : std::runtime_error(report::place_text({file, line, column}) +
                         ": error: " + report::printable(message)) {}

failure::failure(complete, const std::string& line) : std::runtime_error(report::printable(line)) {}

failure failure::of_line(const std::string& line) {
  return failure(complete{}, line);
}

}  // namespace stridelock::tool
