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

# blm_private_copy - what tools/deps unpacked under build/deps is not where the loader looks: programs
# are told where it is, and an installed tree gets its own copy beside libbloomery.so. A link to the
# machine's own library, or an archive, needs neither.
function(blm_private_copy library)
  file(REAL_PATH "${library}" real)
  get_filename_component(private_dir "${library}" DIRECTORY)
  string(FIND "${real}" "${PROJECT_SOURCE_DIR}/build/deps/" private)
  if(NOT private EQUAL 0 OR real MATCHES "\\.a$")
    return()
  endif()
  set(CMAKE_BUILD_RPATH "${private_dir}" PARENT_SCOPE)
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" PARENT_SCOPE)
  get_filename_component(name "${library}" NAME)
  file(GLOB copies "${private_dir}/${name}.*")
  set_property(GLOBAL APPEND PROPERTY blm_private_copies ${copies})
endfunction()
blm_private_copy("${SODIUM_LIBRARY}")
