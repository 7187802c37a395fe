// The test program doubles as the reaper that the code under test starts (it starts "this
// program").
#include <string_view>

#include <gmock/gmock.h>

#include "runner/reaper.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "reap") return talaria::reaper_main(argc, argv);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
