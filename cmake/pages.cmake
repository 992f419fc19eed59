# pages.cmake - the manual and the shells' completions. The program makes them from its own tables, so
# they are made where it can run: not for another machine.
if(NOT TARGET bloomery_cli OR CMAKE_CROSSCOMPILING)
  return()
endif()

set(manual "${PROJECT_BINARY_DIR}/manual")
set(completions "${PROJECT_BINARY_DIR}/generated/completions")
set(made "${PROJECT_BINARY_DIR}/generated/pages.made")
add_custom_command(
  OUTPUT "${made}"
  COMMAND "${PROJECT_SOURCE_DIR}/tools/manual.sh" $<TARGET_FILE:bloomery_cli> "${manual}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${completions}"
  COMMAND bloomery_cli completion bash > "${completions}/bloomery"
  COMMAND bloomery_cli completion zsh > "${completions}/_bloomery"
  COMMAND bloomery_cli completion fish > "${completions}/bloomery.fish"
  COMMAND "${CMAKE_COMMAND}" -E touch "${made}"
  DEPENDS bloomery_cli ${public_headers} ${theory_headers} tools/manual.sh tools/manual_markdown.awk tools/manual_calls.awk docs/format.md examples/open.c
  VERBATIM)
add_custom_target(bloomery_pages ALL DEPENDS "${made}")

install(DIRECTORY "${manual}/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(FILES "${completions}/bloomery" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${completions}/_bloomery" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${completions}/bloomery.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
