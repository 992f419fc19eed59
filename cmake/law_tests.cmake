cmake_minimum_required(VERSION 3.25)

# law_tests.cmake - one ctest law.<law>.<kind> a line "law kind" of `laws --list`.
#   cmake -DRUN=<laws> -DDIR=<where it runs> -DOUT=<file for ctest> -P law_tests.cmake
list(REMOVE_ITEM RUN "")
execute_process(COMMAND ${RUN} --list OUTPUT_VARIABLE list RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT list MATCHES "^[^ \n]+ [^ \n]+\n")
  message(FATAL_ERROR "laws --list failed (${result}) or listed nothing")
endif()
string(STRIP "${list}" list)
string(REPLACE "\n" ";" list "${list}")
set(command "")
foreach(word IN LISTS RUN)
  string(APPEND command " \"${word}\"")
endforeach()
set(out "")
foreach(pair IN LISTS list)
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 law)
  list(GET pair 1 kind)
  string(APPEND out "add_test(\"law.${law}.${kind}\"${command} \"${law}\" \"${kind}\")\n"
         "set_tests_properties(\"law.${law}.${kind}\" PROPERTIES TIMEOUT 900 WORKING_DIRECTORY \"${DIR}\")\n")
endforeach()
file(WRITE "${OUT}" "${out}")
