// Mock of cuda_runtime.h: the part of the runtime API that fixtures call.
#pragma once
#include <cuda_runtime_api.h>
