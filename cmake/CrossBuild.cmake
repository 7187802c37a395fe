# What the toolchain files share: builds for `architecture` on another machine, with the clang and lld
# that build everything else and Debian's cross libraries (libstdc++-12-dev-*-cross).
#
# Clang finds the cross libraries by itself and searches their headers before /usr/include, which
# still serves the architecture-independent ones (Boost, protozero). A compiled library of the build
# machine is never found: libraries come from the cross tree only.

set(triple ${architecture}-linux-gnu)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${architecture})

set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_ASM_COMPILER clang-19)
foreach(language C CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET ${triple})
endforeach()
set(CMAKE_OBJCOPY ${triple}-objcopy)

# CMake's own compiler test links a program, and the build machine's ld knows only its own kind.
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -fuse-ld=lld)

set(CMAKE_FIND_ROOT_PATH /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

# Lets ctest and CMake run what was built.
find_program(TALARIA_QEMU_${architecture} qemu-${architecture}-static)
if(TALARIA_QEMU_${architecture})
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TALARIA_QEMU_${architecture}} -L /usr/${triple})
endif()
