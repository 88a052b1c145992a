# fq_library(FOLDER LINKS...)  one static library for lib/FOLDER; LINKS are what its row of the layer
#                              table (lib/README.md) allows, and outside libraries.
# fq_tool(NAME)                one command of the program fq: tools/NAME.cc, man/NAME.1.scd and its completions
#                              together, and the name itself, a symbolic link to fq.
# fq_inner_tool(NAME)          a command of the program fq that fq runs itself: tools/NAME.cc, man/NAME.8.scd, the name.
# fq_program(LINKS...)         the program fq, with the commands named before; once, after all of them.
# fq_helper(NAME LINKS...)     a program of its own that fq runs itself: tools/NAME.cc and man/NAME.8.scd.
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
  fq_name(${name} BINDIR)
  fq_man_page(${name} 1)
  fq_completions(${name})
endfunction()

function(fq_inner_tool name)
  fq_name(${name} LIBEXECDIR /fq)
  fq_man_page(${name} 8)
endfunction()

# One name of the program: what is compiled for it, its line in the table of commands, and the link for the installation
# in CMAKE_INSTALL_<place>, or a folder of it.
function(fq_name name place)
  set(source ${PROJECT_SOURCE_DIR}/tools/${name}.cc)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "${name}: tools/${name}.cc is missing")
  endif()
  set_property(GLOBAL APPEND PROPERTY FQ_NAMES ${name})
  # A command with sub-commands keeps them in a folder of its name: tools/job for fq-job.
  string(REGEX REPLACE "^fq-" "" parts ${name})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/${parts}/*.cc)
  set_property(GLOBAL APPEND PROPERTY FQ_SOURCES ${source} ${sources})
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${parts})
  file(RELATIVE_PATH program ${CMAKE_INSTALL_FULL_${place}}${ARGN} ${CMAKE_INSTALL_FULL_BINDIR}/fq)
  fq_link(${name} ${program} ${PROJECT_BINARY_DIR}/links)
  install(FILES ${PROJECT_BINARY_DIR}/links/${name} DESTINATION ${CMAKE_INSTALL_${place}}${ARGN})
endfunction()

# A symbolic link in a folder of the build tree.
function(fq_link name target folder)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${target} ${folder}/${name} SYMBOLIC)
endfunction()

# Links all names to the program beside which they stand, each time that it is linked: before that, an older build may have
# had programs of these names, which Ninja removes.
function(fq_link_names target folder)
  get_property(names GLOBAL PROPERTY FQ_NAMES)
  list(JOIN names " " names)
  add_custom_command(TARGET ${target} POST_BUILD WORKING_DIRECTORY ${folder} VERBATIM
    COMMAND sh -c "for name in fqueue ${names}; do ln -sfn fq $name; done")
endfunction()

function(fq_program)
  get_property(names GLOBAL PROPERTY FQ_NAMES)
  get_property(sources GLOBAL PROPERTY FQ_SOURCES)
  list(SORT names)
  list(TRANSFORM names REPLACE "^fq-(.*)$" "FQ_COMMAND(\\1)" OUTPUT_VARIABLE table)
  list(JOIN table "\n" table)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/tools/commands_generated.h CONTENT "${table}\n" @ONLY)

  # What the commands share is in a folder of its own.
  file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/frame/*.cc)
  add_executable(fq ${PROJECT_SOURCE_DIR}/tools/fq.cc ${PROJECT_SOURCE_DIR}/tools/commands.cc ${shared} ${sources})
  fq_unity(fq)
  # The commands themselves are compiled one by one: each has its own `run`.
  set_target_properties(fq PROPERTIES UNITY_BUILD_MODE GROUP)
  target_link_libraries(fq PRIVATE fq_options ${ARGN})
  target_include_directories(fq PRIVATE ${PROJECT_SOURCE_DIR}/tools ${PROJECT_BINARY_DIR}/generated/tools)
  set_target_properties(fq PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  fq_link_names(fq ${PROJECT_BINARY_DIR}/bin)
  # The name by which it is called where another program is fq.
  fq_link(fqueue fq ${PROJECT_BINARY_DIR}/links)
  install(FILES ${PROJECT_BINARY_DIR}/links/fqueue DESTINATION ${CMAKE_INSTALL_BINDIR})
  fq_man_page(fqueue 1)
  fq_completions(fqueue)
  install(TARGETS fq RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_dependencies(fq_tools fq)
  fq_man_page(fq 1)
  fq_completions(fq)
endfunction()

function(fq_completions name)
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

# Several sources compiled as one take less than half the time, and less optimisation another fifth off; FQ_UNITY is for
# who builds once, to run the tests once (tests/run). Without it a change compiles one file, a missing include shows, and
# programs start faster: their code lies closer together.
function(fq_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FQ_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  if(FQ_UNITY)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
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
