# The compile options every target shares; talaria_library(): one static library per source folder,
# with the tests that stand beside the sources; talaria_program(): what is shipped.

# Hardening, and nothing of the folder it was built in. Also for generated code, which does not get
# our warnings. tests/packages/check_programs reads from the programs that it took effect.
add_library(talaria_hardening INTERFACE)
target_compile_options(talaria_hardening INTERFACE
  -fno-omit-frame-pointer -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.
  -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
target_link_options(talaria_hardening INTERFACE -fuse-ld=lld -Wl,--build-id=sha1 -Wl,-z,relro
  -Wl,-z,now -Wl,-z,noexecstack)
if(TALARIA_SANITIZE)
  # vptr: Asio's own clean-up fails it when a service cannot be made for want of descriptors.
  target_compile_options(talaria_hardening INTERFACE
    -fsanitize=${TALARIA_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all)
  target_link_options(talaria_hardening INTERFACE -fsanitize=${TALARIA_SANITIZE})
else()
  target_compile_options(talaria_hardening INTERFACE
    -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero
    $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    target_compile_options(talaria_hardening INTERFACE -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    target_compile_options(talaria_hardening INTERFACE -mbranch-protection=standard)
  endif()
endif()

add_library(talaria_options INTERFACE)
target_link_libraries(talaria_options INTERFACE talaria_hardening)
target_compile_options(talaria_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Wunused -Wimplicit-fallthrough -Wno-missing-field-initializers
  -Wno-missing-designated-field-initializers -Werror)
target_compile_options(talaria_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")  # for ccache
# The library may be part of a plugin, and shows nothing but its interface (talaria/export.h).
target_compile_options(talaria_options INTERFACE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
target_include_directories(talaria_options INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(talaria_options INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION)

# Unity batches: files of one folder are compiled together, a few at a time, because what their
# headers bring costs more than they do. So a name in an unnamed namespace is unique in its library's
# namespace; scripts/check_source looks. OFF is for tools that want one command per file.
option(TALARIA_UNITY "Compile several files of a folder as one unit" ON)
set(TALARIA_BATCH 8)  # files; more is quicker for all of them, and slower for one that changed

# What most files of a layer include, compiled once. The static runner's libraries have the smaller
# one, so that it can be built without what only the controller needs.
set(TALARIA_COMMON_HEADERS
  <algorithm> <array> <chrono> <cstdint> <deque> <expected> <filesystem> <functional> <map> <memory>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>
  <boost/asio/any_io_executor.hpp> <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp>
  <boost/asio/co_spawn.hpp> <boost/asio/experimental/awaitable_operators.hpp>
  <boost/asio/io_context.hpp> <boost/asio/posix/stream_descriptor.hpp>
  <boost/asio/local/stream_protocol.hpp> <boost/asio/read.hpp> <boost/asio/steady_timer.hpp>
  <boost/asio/this_coro.hpp> <boost/asio/use_awaitable.hpp> <boost/asio/write.hpp>)
set(TALARIA_CONTROLLER_HEADERS ${TALARIA_COMMON_HEADERS}
  <boost/json/object.hpp> <boost/json/serialize.hpp> <boost/json/value.hpp>)
set(TALARIA_TEST_HEADERS ${TALARIA_CONTROLLER_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)

# A program may end, by exit() on any thread, while a Runtime works. So what is static here is never
# destroyed. Tests are compiled without this: some of theirs remove directories.
set(TALARIA_KEEP_STATICS -fno-c++-static-destructors)

# talaria_compile(TARGET KIND)
#   Batches for TARGET, whose sources are below the current folder, and the precompiled header KIND:
#   common, controller or test.
function(talaria_compile target kind)
  if(TALARIA_UNITY)
    talaria_batch(${target})
  endif()
  set(headers talaria_${kind}_headers)
  if(NOT TARGET ${headers})
    file(WRITE ${CMAKE_BINARY_DIR}/${headers}.cc "")
    add_library(${headers} OBJECT ${CMAKE_BINARY_DIR}/${headers}.cc)
    target_link_libraries(${headers} PRIVATE talaria_options)
    if(kind STREQUAL test)
      target_link_libraries(${headers} PRIVATE GTest::gmock)
    else()
      target_compile_options(${headers} PRIVATE ${TALARIA_KEEP_STATICS})
    endif()
    string(TOUPPER TALARIA_${kind}_HEADERS list)
    target_precompile_headers(${headers} PRIVATE ${${list}})
  endif()
  if(NOT kind STREQUAL test)
    target_compile_options(${target} PRIVATE ${TALARIA_KEEP_STATICS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# Replaces the sources of TARGET by batches of them, a folder at a time. CMake's own UNITY_BUILD names
# files by their absolute path, so that ccache would know nothing of them in another checkout.
function(talaria_batch target)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(batches "")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    cmake_path(GET source PARENT_PATH folder)
    math(EXPR number "0${count_${folder}} / ${TALARIA_BATCH}")
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    string(MAKE_C_IDENTIFIER "${folder}_${number}" batch)
    list(APPEND batches ${batch})
    string(APPEND text_${batch} "#include \"${source}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES batches)
  set(files "")
  foreach(batch ${batches})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${target}/${batch}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${batch}}" @ONLY)
    list(APPEND files ${file})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${files}")
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
endfunction()

# talaria_library(NAME DEPENDS libraries... [HEADERS common])
#   Every .cc of the current folder (and of its sub-folders) becomes the library talaria_NAME; every
#   _test.cc becomes part of the test program NAME_test.
function(talaria_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "DEPENDS;TEST_DEPENDS" ${ARGN})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS controller)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(talaria_${name} STATIC ${sources})
    target_link_libraries(talaria_${name} PUBLIC talaria_options ${ARG_DEPENDS})
    talaria_compile(talaria_${name} ${ARG_HEADERS})
  else()
    add_library(talaria_${name} INTERFACE)
    target_link_libraries(talaria_${name} INTERFACE talaria_options ${ARG_DEPENDS})
  endif()
  if(tests AND BUILD_TESTING AND NOT TALARIA_RUNNER_ONLY)
    talaria_test(${name}_test SOURCES ${tests} DEPENDS talaria_${name} ${ARG_TEST_DEPENDS})
  endif()
endfunction()

option(TALARIA_SPLIT_DEBUG "Move the symbols of programs to files beside them" ON)

# talaria_program(NAME FILES...)
#   A program that is shipped. Its symbols are moved to NAME.debug beside it, where debuggers and
#   profilers find them (the runner's always, for it becomes data of another program).
function(talaria_program name)
  add_executable(${name} ${ARGN})
  if(TALARIA_SANITIZE)
    return()
  endif()
  # For scripts/sbom: what was taken from which archive, and which files were read.
  target_link_options(${name} PRIVATE -Wl,--why-extract=$<TARGET_FILE:${name}>.extracted
    -Wl,--dependency-file=$<TARGET_FILE:${name}>.inputs)
  if(NOT TALARIA_SPLIT_DEBUG AND NOT name STREQUAL talaria-runner)
    return()
  endif()
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${name}> $<TARGET_FILE:${name}>.debug
    COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=$<TARGET_FILE:${name}>.debug
      $<TARGET_FILE:${name}>
    VERBATIM)
endfunction()

# talaria_test(NAME SOURCES files... DEPENDS libraries... [TIMEOUT seconds] [LOCK what [LOCK_ONLY pattern]])
#   LOCK: of tests with the same lock one runs at a time. LOCK_ONLY: it is for those by such names.
function(talaria_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;LOCK;LOCK_ONLY" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock_main)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_link_options(${name} PRIVATE -Wl,--strip-debug)  # lines of code in fifty programs: gigabytes
  endif()
  talaria_compile(${name} test)
  set(properties TIMEOUT ${ARG_TIMEOUT} LABELS ${name})
  if(ARG_LOCK_ONLY)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER -${ARG_LOCK_ONLY} PROPERTIES ${properties})
    set(only TEST_FILTER ${ARG_LOCK_ONLY})
  endif()
  if(ARG_LOCK)
    list(APPEND properties RESOURCE_LOCK ${ARG_LOCK} COST 1000)  # first, or they are the end of it all
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 ${only} PROPERTIES ${properties})
endfunction()
