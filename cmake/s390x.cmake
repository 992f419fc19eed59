# s390x.cmake - a big-endian machine with 64 bits; its programs run under qemu-user.
# `tools/deps ci` fetches the compiler, qemu and (into build/deps/s390x) the libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
cmake_path(SET libraries NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/deps/s390x")
set(CMAKE_FIND_ROOT_PATH "${libraries}" /usr/s390x-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x -L /usr/s390x-linux-gnu)
