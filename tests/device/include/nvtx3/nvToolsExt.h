// Ranges for profilers. The emulated device names a launch in its reports by the range that is open on the launching thread.
#pragma once

int nvtxRangePushA(const char* name);
int nvtxRangePop();
