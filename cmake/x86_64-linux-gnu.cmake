# Toolchain file: builds for x86_64 Linux on another machine.
set(architecture x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/CrossBuild.cmake)
