cmake_minimum_required(VERSION 3.25)

# kind_pages.cmake - the opening comment of each kind's file as C text, for `bloomery kinds KIND`.
#   cmake -DDIR=src/kinds -DOUT=kind_pages.c -P kind_pages.cmake

# c_text - the opening comment of FILE as a C string literal, one source line a line of comment.
function(c_text file result)
  file(READ "${file}" text)
  string(FIND "${text}" "/*" start)
  string(FIND "${text}" "*/" end)
  if(NOT start EQUAL 0 OR end EQUAL -1)
    message(FATAL_ERROR "${file} does not open with a comment")
  endif()
  math(EXPR length "${end} - 2")
  string(SUBSTRING "${text}" 2 ${length} text)
  string(STRIP "${text}" text)
  string(REGEX REPLACE "\n[ \t]*\\*[ \t]?" "\n" text "${text}")
  string(REGEX REPLACE "[ \t]+\n" "\n" text "${text}")
  string(STRIP "${text}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}") # C11 still has trigraphs
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  set(${result} "\"${text}\\n\"" PARENT_SCOPE)
endfunction()

set(rows "")
file(GLOB files "${DIR}/*/*/*.c") # sorted by family and name
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  if(NOT "${file}" MATCHES "/${name}/${name}\\.c$") # the other sources of a room
    continue()
  endif()
  string(REPLACE "_" "-" name "${name}")
  c_text("${file}" text)
  string(APPEND rows "    {\"${name}\",\n     ${text}},\n")
endforeach()
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[
/* Generated from the opening comments of src/kinds/. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Woverlength-strings"
#endif
#include "verbs/pages.h"

const blm_kind_page blm_kind_pages[] = {
@rows@    {0, 0},
};
]])
