# find_package(talaria) gives
#   talaria::talaria   the library: talaria/talaria.h
#   talaria::asio      the same for programs that have a Boost.Asio loop: talaria/asio.h
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81 COMPONENTS json)
find_dependency(Threads)
set(talaria_libraries "")
foreach(name fyaml sqlite3 re2 vterm gumbo idn2 unistring z brotlidec brotlicommon)
  find_library(talaria_${name}_library ${name})
  if(NOT talaria_${name}_library)
    set(talaria_FOUND FALSE)
    set(talaria_NOT_FOUND_MESSAGE "talaria needs lib${name} (Debian: lib${name}-dev)")
    return()
  endif()
  list(APPEND talaria_libraries ${talaria_${name}_library})
endforeach()

if(NOT TARGET talaria::talaria)
  get_filename_component(talaria_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
  add_library(talaria::talaria STATIC IMPORTED)
  set_target_properties(talaria::talaria PROPERTIES
    IMPORTED_LOCATION ${talaria_prefix}/lib/libtalaria.a
    INTERFACE_INCLUDE_DIRECTORIES ${talaria_prefix}/include
    INTERFACE_COMPILE_FEATURES cxx_std_23
    INTERFACE_LINK_LIBRARIES
      "Boost::json;${talaria_libraries};Threads::Threads")

  add_library(talaria::asio INTERFACE IMPORTED)
  set_target_properties(talaria::asio PROPERTIES
    INTERFACE_COMPILE_DEFINITIONS "BOOST_ASIO_SEPARATE_COMPILATION;BOOST_ASIO_NO_DEPRECATED"
    INTERFACE_LINK_LIBRARIES "talaria::talaria;Boost::boost")
endif()
