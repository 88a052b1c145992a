# Compiler and linker settings that every target of fq shares, as one interface library.
add_library(fq_options INTERFACE)
target_include_directories(fq_options INTERFACE ${PROJECT_SOURCE_DIR}/lib)
target_compile_options(fq_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Werror
  # g++ 12 reports these inside the standard library's own containers at -O2 and above.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-pointer;-Wno-maybe-uninitialized;-Wno-restrict>")
# A dynamic C++ runtime costs each process 1 ms at start, and so do 18 000 relocations: programs have fixed addresses
# (not one that runs with more rights than its caller has: that needs -pie).
target_link_options(fq_options INTERFACE -static-libgcc -static-libstdc++ -Wl,--as-needed)
if(FQ_SANITIZE)
  target_compile_options(fq_options INTERFACE -fsanitize=${FQ_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all
    # Places beyond the end of what a view or container holds may still be in memory that is its owner's.
    -D_GLIBCXX_ASSERTIONS
    # It asks the kernel about memory through a pipe and takes a lack of descriptors for a fault.
    -fno-sanitize=vptr)
  target_link_options(fq_options INTERFACE -fsanitize=${FQ_SANITIZE})
else()
  target_link_options(fq_options INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
# A program has only what it calls, function by function, however its files were compiled.
target_compile_options(fq_options INTERFACE -ffunction-sections -fdata-sections)
target_link_options(fq_options INTERFACE -Wl,--gc-sections)
find_program(FQ_MOLD mold)
if(FQ_MOLD)
  target_link_options(fq_options INTERFACE -fuse-ld=mold)
endif()
