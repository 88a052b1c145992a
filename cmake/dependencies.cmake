# The libraries fq stands on, all from Debian. RocksDB and what it compresses with are linked
# statically: a dynamic librocksdb costs each command 2-4 ms at start.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_path(FQ_RAPIDJSON_INCLUDE rapidjson/reader.h REQUIRED)  # headers only

function(fq_static_library name archive header)
  find_library(FQ_${name}_ARCHIVE NAMES lib${archive}.a REQUIRED)
  find_path(FQ_${name}_INCLUDE ${header} REQUIRED)
  add_library(fq_${name} STATIC IMPORTED GLOBAL)
  set_target_properties(fq_${name} PROPERTIES IMPORTED_LOCATION ${FQ_${name}_ARCHIVE})
  target_include_directories(fq_${name} SYSTEM INTERFACE ${FQ_${name}_INCLUDE})
endfunction()

fq_static_library(zstd zstd zstd.h)
fq_static_library(lz4 lz4 lz4.h)
fq_static_library(snappy snappy snappy.h)
fq_static_library(bz2 bz2 bzlib.h)
fq_static_library(zlib z zlib.h)
fq_static_library(rocksdb rocksdb rocksdb/db.h)
set(rocksdb_needs fq_snappy fq_lz4 fq_zstd fq_bz2 fq_zlib Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(fq_rocksdb INTERFACE ${rocksdb_needs})
# The same with its initialisers in a section of their own, for programs that may end without having opened a store: they
# take a million instructions, and half of the time of what else such a program does (store/rocks/rocksdb_start.h).
set(archive ${PROJECT_BINARY_DIR}/late/librocksdb.a)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/late)
add_custom_command(OUTPUT ${archive} DEPENDS ${FQ_rocksdb_ARCHIVE} VERBATIM COMMAND ${CMAKE_OBJCOPY}
  --rename-section .init_array=fq_rocksdb_init,alloc,load,data,contents ${FQ_rocksdb_ARCHIVE} ${archive})
add_custom_target(fq_late_archive DEPENDS ${archive})
add_library(fq_late_rocksdb STATIC IMPORTED GLOBAL)
add_dependencies(fq_late_rocksdb fq_late_archive)
set_target_properties(fq_late_rocksdb PROPERTIES IMPORTED_LOCATION ${archive})
target_link_libraries(fq_late_rocksdb INTERFACE ${rocksdb_needs})
fq_static_library(sodium sodium sodium.h)
fq_static_library(yaml_cpp yaml-cpp yaml-cpp/yaml.h)
fq_static_library(re2 re2 re2/re2.h)
target_link_libraries(fq_re2 INTERFACE Threads::Threads)

# Time zones; of what it stands on, the parts that they need.
fq_static_library(absl_time absl_time absl/time/time.h)
foreach(part time_zone civil_time strings strings_internal int128 throw_delegate base spinlock_wait raw_logging_internal
    log_severity)
  find_library(FQ_ABSL_${part} NAMES libabsl_${part}.a REQUIRED)
  target_link_libraries(fq_absl_time INTERFACE ${FQ_ABSL_${part}})
endforeach()

# Small vectors, which throw.
add_library(fq_absl_vector INTERFACE)
find_path(FQ_ABSL_INCLUDE absl/container/inlined_vector.h REQUIRED)
target_include_directories(fq_absl_vector SYSTEM INTERFACE ${FQ_ABSL_INCLUDE})
target_link_libraries(fq_absl_vector INTERFACE ${FQ_ABSL_throw_delegate} ${FQ_ABSL_raw_logging_internal}
  ${FQ_ABSL_log_severity})

find_library(FQ_HWLOC_LIBRARY hwloc REQUIRED)
find_path(FQ_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
find_program(FQ_FLATC flatc REQUIRED)
find_program(FQ_SCDOC scdoc REQUIRED)
find_path(FQ_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(FQ_TOML11_INCLUDE toml.hpp REQUIRED)
find_path(FQ_FMT_INCLUDE fmt/format-inl.h REQUIRED)
