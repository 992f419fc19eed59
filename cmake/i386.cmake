# i386.cmake - 32 bits, little-endian; its programs run on a 64-bit PC as they are.
# `tools/deps ci` fetches what gcc -m32 needs and (into build/deps/i386) the libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER gcc)
# SSE2: doubles are rounded as on all other machines. The kernel's headers (asm/) are those of x86-64.
set(CMAKE_C_FLAGS_INIT "-m32 -msse2 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu")
set(CMAKE_LIBRARY_ARCHITECTURE i386-linux-gnu)
cmake_path(SET libraries NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/deps/i386")
set(CMAKE_FIND_ROOT_PATH "${libraries}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR env) # "runs here": CMake then runs what it built
