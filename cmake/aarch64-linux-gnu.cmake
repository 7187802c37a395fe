# Toolchain file: builds for aarch64 Linux on an x86_64 machine, with the clang and lld that build
# everything else and Debian's cross libraries (libstdc++-12-dev-arm64-cross). Made for the runner,
# which is static.
#
# Clang finds the cross libraries by itself and searches their headers before /usr/include, which
# still serves the architecture-independent ones (Boost, protozero). A compiled library of the build
# machine is never found: libraries come from the cross tree only.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_ASM_COMPILER clang-19)
foreach(language C CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()

# CMake's own compiler test links a program, and the build machine's ld knows only its own kind.
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -fuse-ld=lld)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

# Lets ctest and CMake run what was built.
find_program(TALARIA_QEMU_AARCH64 qemu-aarch64-static)
if(TALARIA_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TALARIA_QEMU_AARCH64})
endif()
