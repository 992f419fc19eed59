# sodium.cmake - libsodium as bloomery::sodium, and where xxhash.h is.
#
# libxxhash is used as a header alone (XXH_INLINE_ALL): nothing of it is linked.

find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_path(SODIUM_INCLUDE_DIR sodium.h)
find_library(SODIUM_LIBRARY sodium)
foreach(found XXHASH_INCLUDE_DIR SODIUM_INCLUDE_DIR SODIUM_LIBRARY)
  if(NOT ${found})
    message(FATAL_ERROR "libxxhash or libsodium is missing (${found}): run tools/deps build")
  endif()
endforeach()

add_library(bloomery::sodium UNKNOWN IMPORTED)
set_target_properties(bloomery::sodium PROPERTIES IMPORTED_LOCATION "${SODIUM_LIBRARY}")

# What tools/deps unpacked under build/deps is not where the loader looks: programs are told where it
# is, and an installed tree gets its own copy beside libbloomery.so.
string(FIND "${SODIUM_LIBRARY}" "${PROJECT_SOURCE_DIR}/build/deps/" private)
if(private EQUAL 0)
  get_filename_component(private_dir "${SODIUM_LIBRARY}" DIRECTORY)
  set(CMAKE_BUILD_RPATH "${private_dir}")
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  file(GLOB SODIUM_PRIVATE_COPY "${private_dir}/libsodium.so.*")
endif()
