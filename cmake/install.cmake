# install.cmake - headers, libraries, program, pkg-config file and CMake package.
#
# An installed tree can be moved: the pkg-config file and the CMake package find their prefix from
# where they are.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bloomery")
install(FILES ${public_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bloomery")
install(FILES ${theory_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bloomery/theory")
install(TARGETS bloomery_shared EXPORT bloomery)
install(TARGETS bloomery_static EXPORT bloomery_static)
if(TARGET bloomery_cli)
  install(TARGETS bloomery_cli)
endif()
get_property(private_copies GLOBAL PROPERTY blm_private_copies)
if(private_copies)
  install(FILES ${private_copies} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()

# The static library in a file of its own: only its users need libsodium's development files.
install(EXPORT bloomery NAMESPACE bloomery:: FILE bloomeryTargets.cmake DESTINATION "${package_dir}")
install(EXPORT bloomery_static NAMESPACE bloomery:: FILE bloomeryStatic.cmake DESTINATION "${package_dir}")
configure_package_config_file(cmake/bloomeryConfig.cmake.in generated/bloomeryConfig.cmake
                              INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(generated/bloomeryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/bloomeryConfig.cmake"
              "${PROJECT_BINARY_DIR}/generated/bloomeryConfigVersion.cmake"
        DESTINATION "${package_dir}")

file(RELATIVE_PATH BLM_PC_UP "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" BLM_PC_UP "${BLM_PC_UP}")
configure_file(cmake/bloomery.pc.in generated/bloomery.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/bloomery.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
