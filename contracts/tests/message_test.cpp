#include "stridelock/message.h"

#include <gtest/gtest.h>
