# benches.cmake - programs that `make bench` and `make bench-peers` build and run, and nothing else does.
#   bloomery_rows    what the library promises of itself: one key and batches, floors, bits per key, threads
#   bloomery_peers   the same keys in libbloom; only where libbloom is

file(GLOB versus_sources CONFIGURE_DEPENDS "bench/versus/*.c")
file(GLOB rows_sources CONFIGURE_DEPENDS "bench/rows/*.c")
file(GLOB peers_sources CONFIGURE_DEPENDS "bench/peers/*.c")

function(blm_bench target)
  add_executable(${target} EXCLUDE_FROM_ALL ${ARGN} ${versus_sources} bench/floor.c)
  blm_compile(${target})
  target_include_directories(${target} PRIVATE bench bench/versus include)
  target_link_libraries(${target} PRIVATE bloomery_static m)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()

if(rows_sources)
  # The loop of a caller with inline.h, compiled as users of header-only libraries compile theirs.
  set_source_files_properties(bench/rows/lens.c PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<BOOL:${CMAKE_CROSSCOMPILING}>>:-march=native>")
  find_package(Threads REQUIRED)
  blm_bench(bloomery_rows ${rows_sources})
  target_link_libraries(bloomery_rows PRIVATE Threads::Threads)
endif()

find_path(LIBBLOOM_INCLUDE_DIR bloom.h)
find_library(LIBBLOOM_LIBRARY bloom)
mark_as_advanced(LIBBLOOM_INCLUDE_DIR LIBBLOOM_LIBRARY)
if(LIBBLOOM_INCLUDE_DIR AND LIBBLOOM_LIBRARY)
  blm_bench(bloomery_peers ${peers_sources})
  target_include_directories(bloomery_peers SYSTEM PRIVATE "${LIBBLOOM_INCLUDE_DIR}")
  target_link_libraries(bloomery_peers PRIVATE "${LIBBLOOM_LIBRARY}")
endif()
