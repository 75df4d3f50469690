# CPack runs this between staging and packing: what Debian's policy asks of a package beside its files.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(GZIP gzip REQUIRED)

function(compress file)
  execute_process(COMMAND "${GZIP}" -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(name "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  set(share "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share")
  set(documents "${share}/doc/${name}")
  if(component STREQUAL "dev")
    file(RENAME "${share}/doc/${CPACK_PACKAGE_NAME}" "${documents}")
    file(REMOVE "${documents}/LICENSE")  # is the file `copyright`
    file(RENAME "${documents}/CHANGELOG.md" "${documents}/changelog")
    compress("${documents}/changelog")
  endif()
  file(MAKE_DIRECTORY "${documents}")
  configure_file("${CPACK_RESOURCE_FILE_LICENSE}" "${documents}/copyright" COPYONLY)
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE "${documents}/changelog.Debian"
    "multifold (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * The changes are in the changelog of libmultifold-dev.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  compress("${documents}/changelog.Debian")
  file(GLOB pages "${share}/man/man*/*")
  foreach(page IN LISTS pages)
    compress("${page}")
  endforeach()
  if(EXISTS "${share}/zsh/site-functions")  # Debian's zsh reads those of /usr/local alone
    file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
  endif()
endforeach()
