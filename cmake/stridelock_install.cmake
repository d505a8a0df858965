# `cmake --install` and `find_package(stridelock)`.
#
# Component `libraries`: headers, libraries and the package file. Component `tool`: the analyzer.
# A library is exported as stridelock::<name>; one that does not exist in this configuration is left out.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stridelock)

set(exported "")
foreach(library contracts contracts_yaml runtime runtime_cuda)
  if(TARGET stridelock_${library})
    set_target_properties(stridelock_${library} PROPERTIES EXPORT_NAME ${library})
    install(TARGETS stridelock_${library} EXPORT stridelock-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    string(REPLACE "_" "/" folder ${library})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            COMPONENT libraries FILES_MATCHING PATTERN "*.h")
    list(APPEND exported ${library})
  endif()
endforeach()

if(TARGET stridelock_graph_audit)  # what Python loads, and the module that loads it
  install(TARGETS stridelock_graph_audit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/cuda/python/stridelock_graphs.py
          DESTINATION ${CMAKE_INSTALL_DATADIR}/stridelock/python COMPONENT libraries)
endif()

if(TARGET stridelock_shared)
  install(TARGETS stridelock_shared EXPORT stridelock-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  list(APPEND exported shared)
endif()

if(exported)
  install(EXPORT stridelock-targets NAMESPACE stridelock:: DESTINATION ${package_dir} COMPONENT libraries)
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/stridelock-config.cmake.in
                                ${PROJECT_BINARY_DIR}/stridelock-config.cmake
                                INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/stridelock-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/stridelock-config.cmake ${PROJECT_BINARY_DIR}/stridelock-config-version.cmake
          DESTINATION ${package_dir} COMPONENT libraries)
endif()

if(TARGET stridelock)
  install(TARGETS stridelock RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libraries)
