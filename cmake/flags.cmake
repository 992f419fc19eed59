# flags.cmake - how every C file of the tree is compiled.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O3 -g0 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# blm_compile - warnings, sanitizers and what makes results the same everywhere.
#   -ffp-contract=off       a rate does not depend on whether the machine has a fused multiply-add
#   -ffile-prefix-map       no path of the building machine inside what is released
#   _FILE_OFFSET_BITS=64    files past 2 GiB on 32-bit machines
function(blm_compile target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes
    -Wmissing-prototypes -Wvla
    $<$<BOOL:${BLM_WERROR}>:-Werror>
    -ffp-contract=off "$<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>")
  target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  if(BLM_SANITIZE)
    set(sanitize -fsanitize=${BLM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(${target} PRIVATE ${sanitize})
    target_link_options(${target} PRIVATE ${sanitize})
  endif()
  if(BLM_FUZZER)
    # Comparisons are not traced: 2 to 5 times the speed, the same coverage measured.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
  endif()
  if(BLM_COVERAGE)
    # Atomic counters take 7 times as long. tools/coverage runs all tests on one core instead: there threads lose
    # nothing when a counter is one instruction, and with -O1 it is.
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=single)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()

# blm_private_target - sees src/ as well: "core/kind.h", "parts/packed.h".
function(blm_private_target target)
  blm_compile(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(${target} SYSTEM PRIVATE ${SODIUM_INCLUDE_DIR} ${XXHASH_INCLUDE_DIR})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# blm_library - the library itself, under whatever list of kinds: callers get include/ only.
function(blm_library target)
  blm_private_target(${target})
  target_include_directories(${target} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PRIVATE bloomery::sodium m Threads::Threads)
endfunction()
