# Toolchain file: builds for aarch64 Linux on another machine.
set(architecture aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/CrossBuild.cmake)
