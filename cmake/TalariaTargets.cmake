# The compile options every target shares, and talaria_library(): one static library per source
# folder, with the tests that stand beside the sources.

add_library(talaria_options INTERFACE)
target_compile_options(talaria_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Wunused -Wimplicit-fallthrough -Wno-missing-field-initializers
  -Wno-missing-designated-field-initializers -Werror -fno-omit-frame-pointer)
target_include_directories(talaria_options INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(talaria_options INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION)
target_link_options(talaria_options INTERFACE -fuse-ld=lld)
if(TALARIA_SANITIZE)
  # vptr: Asio's own clean-up fails it when a service cannot be made for want of descriptors.
  target_compile_options(talaria_options INTERFACE
    -fsanitize=${TALARIA_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all)
  target_link_options(talaria_options INTERFACE -fsanitize=${TALARIA_SANITIZE})
endif()

# talaria_library(NAME DEPENDS libraries...)
#   Every .cc of the current folder (and of its sub-folders) becomes the library talaria_NAME; every
#   _test.cc becomes part of the test program NAME_test.
function(talaria_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;TEST_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(talaria_${name} STATIC ${sources})
    target_link_libraries(talaria_${name} PUBLIC talaria_options ${ARG_DEPENDS})
  else()
    add_library(talaria_${name} INTERFACE)
    target_link_libraries(talaria_${name} INTERFACE talaria_options ${ARG_DEPENDS})
  endif()
  if(tests AND NOT TALARIA_RUNNER_ONLY)
    talaria_test(${name}_test SOURCES ${tests} DEPENDS talaria_${name} ${ARG_TEST_DEPENDS})
  endif()
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
  set(properties TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LOCK_ONLY)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER -${ARG_LOCK_ONLY} PROPERTIES ${properties})
    set(only TEST_FILTER ${ARG_LOCK_ONLY})
  endif()
  if(ARG_LOCK)
    list(APPEND properties RESOURCE_LOCK ${ARG_LOCK} COST 1000)  # first, or they are the end of it all
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 ${only} PROPERTIES ${properties})
endfunction()
