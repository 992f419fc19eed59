# packed.cmake - what reads packed inputs, each used when it is there: zlib, libzstd, liblzma.
#
# bloomery_packed carries their headers and libraries to the program; the library needs none of them.
# BLM_ZLIB=OFF (BLM_ZSTD, BLM_LZMA) builds as if that one was missing.

add_library(bloomery_packed INTERFACE)

# blm_packed - one of them. NAME: of the option, and of BLM_HAVE_<NAME> in the program.
function(blm_packed name header library)
  set(BLM_${name} AUTO CACHE STRING "AUTO: packed inputs by ${library} when it is there; OFF: without")
  set_property(CACHE BLM_${name} PROPERTY STRINGS AUTO OFF)
  find_path(BLM_${name}_INCLUDE_DIR ${header})
  find_library(BLM_${name}_LIBRARY ${library})
  mark_as_advanced(BLM_${name}_INCLUDE_DIR BLM_${name}_LIBRARY)
  if(NOT BLM_${name} OR NOT BLM_${name}_INCLUDE_DIR OR NOT BLM_${name}_LIBRARY)
    message(STATUS "packed inputs: without ${header}")
    return()
  endif()
  target_compile_definitions(bloomery_packed INTERFACE BLM_HAVE_${name})
  target_include_directories(bloomery_packed SYSTEM INTERFACE "${BLM_${name}_INCLUDE_DIR}")
  target_link_libraries(bloomery_packed INTERFACE "${BLM_${name}_LIBRARY}")
  set_property(GLOBAL APPEND PROPERTY blm_packed_libraries "${BLM_${name}_LIBRARY}")
endfunction()

blm_packed(ZLIB zlib.h z)
blm_packed(ZSTD zstd.h zstd)
blm_packed(LZMA lzma.h lzma)

get_property(packed_libraries GLOBAL PROPERTY blm_packed_libraries)
foreach(library IN LISTS packed_libraries)
  blm_private_copy("${library}")
endforeach()
