# find_package(talaria) gives
#   talaria::talaria   the library as an archive
#   talaria::shared    the same as a shared library
# talaria/asio.h needs Boost's headers, of the program's own choice: nothing else of it.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(talaria_libdir ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
get_filename_component(talaria_prefix ${talaria_libdir}/@way_to_prefix@ ABSOLUTE)

if(NOT TARGET talaria::shared AND EXISTS ${talaria_libdir}/libtalaria.so)
  add_library(talaria::shared SHARED IMPORTED)
  set_target_properties(talaria::shared PROPERTIES
    IMPORTED_LOCATION ${talaria_libdir}/libtalaria.so
    INTERFACE_INCLUDE_DIRECTORIES ${talaria_prefix}/@CMAKE_INSTALL_INCLUDEDIR@
    INTERFACE_COMPILE_FEATURES cxx_std_23)
endif()

if(NOT TARGET talaria::talaria)
  set(talaria_libraries "")
  foreach(name fyaml sqlite3 re2 vterm gumbo utf8proc z brotlidec brotlicommon)
    find_library(talaria_${name}_library ${name})
    if(NOT talaria_${name}_library)
      if(TARGET talaria::shared)
        return()  # which knows what it needs
      endif()
      set(talaria_FOUND FALSE)
      set(talaria_NOT_FOUND_MESSAGE "talaria needs lib${name} (Debian: lib${name}-dev)")
      return()
    endif()
    list(APPEND talaria_libraries ${talaria_${name}_library})
  endforeach()

  add_library(talaria::talaria STATIC IMPORTED)
  set_target_properties(talaria::talaria PROPERTIES
    IMPORTED_LOCATION ${talaria_libdir}/libtalaria.a
    INTERFACE_INCLUDE_DIRECTORIES ${talaria_prefix}/@CMAKE_INSTALL_INCLUDEDIR@
    INTERFACE_COMPILE_FEATURES cxx_std_23
    INTERFACE_LINK_LIBRARIES "${talaria_libraries};Threads::Threads")
endif()
