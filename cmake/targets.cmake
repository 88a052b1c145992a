# fq_library(FOLDER LINKS...)  one static library for lib/FOLDER; LINKS are what its row of the layer
#                              table (lib/README.md) allows, and outside libraries.
# fq_tool(NAME LINKS...)       one command: tools/NAME.cc, man/NAME.1.scd and its completions together.
# fq_helper(NAME LINKS...)     one program that fq itself runs: tools/NAME.cc and man/NAME.8.scd.
#                              The target `fq_tools` is all of these, with their pages.
# fq_test(FOLDER LINKS...)     one GoogleTest binary for tests/FOLDER/*_test.cc and those of its rooms.
add_custom_target(fq_tools)

function(fq_library folder)
  # A folder with many files has rooms: one level of folders in it.
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/${folder}/*.cc
       ${PROJECT_SOURCE_DIR}/lib/${folder}/*/*.cc)
  if(NOT sources)
    add_library(fq_${folder} INTERFACE)
    return()
  endif()
  add_library(fq_${folder} STATIC ${sources})
  target_link_libraries(fq_${folder} PUBLIC fq_options ${ARGN})
  fq_unity(fq_${folder})
endfunction()

function(fq_tool name)
  # A command with sub-commands keeps them in a folder of its name: tools/job for fq-job.
  string(REGEX REPLACE "^fq-" "" folder ${name})
  file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/${folder}/*.cc)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tools/${name}.cc ${parts})
  fq_unity(${name})
  target_link_libraries(${name} PRIVATE fq_options ${ARGN})
  if(TARGET fq_ready_memory)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:fq_ready_memory>)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_dependencies(fq_tools ${name})
  fq_man_page(${name} 1)
  foreach(completion bash/${name} zsh/_${name} fish/${name}.fish)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/completions/${completion})
      message(FATAL_ERROR "${name}: completions/${completion} is missing")
    endif()
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/completions/bash/${name}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/zsh/_${name}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/fish/${name}.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()

function(fq_helper name)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tools/${name}.cc)
  target_link_libraries(${name} PRIVATE fq_options ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/fq)
  add_dependencies(fq_tools ${name})
  fq_man_page(${name} 8)
endfunction()

# Pages are laid out as man(1) looks for them beside a bin/ on PATH, so that they open from the build tree too.
function(fq_man_page name section)
  set(source ${PROJECT_SOURCE_DIR}/man/${name}.${section}.scd)
  set(folder ${PROJECT_BINARY_DIR}/share/man/man${section})
  set(page ${folder}/${name}.${section})
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "${name}: man/${name}.${section}.scd is missing")
  endif()
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${page} COMMAND ${FQ_SCDOC} < ${source} > ${page} DEPENDS ${source} VERBATIM)
  add_custom_target(man_${name}.${section} ALL DEPENDS ${page})
  add_dependencies(fq_tools man_${name}.${section})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endfunction()

# Several sources compiled as one take less than half the time; FQ_UNITY is for who builds once (tests/run). Without it
# a change compiles one file, a missing include shows, and programs start faster: their code lies closer together.
function(fq_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FQ_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

function(fq_test folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*_test.cc
    ${PROJECT_SOURCE_DIR}/tests/${folder}/*/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_test ${sources} support/test_data.cc)
  target_link_libraries(${folder}_test PRIVATE fq_options ${ARGN} GTest::gtest_main)
  target_include_directories(${folder}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  fq_unity(${folder}_test)
  # The tests' own code runs once: optimising it would cost more than it saves.
  target_compile_options(${folder}_test PRIVATE $<$<CONFIG:Release>:-O0>)
  # Only this file knows where the tree is: a compiler cache serves the others to every clone.
  set_source_files_properties(support/test_data.cc PROPERTIES
    COMPILE_DEFINITIONS FQ_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  gtest_discover_tests(${folder}_test TEST_PREFIX "${folder}." DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120)
endfunction()
