// store_size DATABASE: merges a database wholly, which changes it: give it a copy. Prints how many level-0
// files the family that had most of them had, and the sizes of its tables before and after in bytes.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "store/rocks/rocksdb_options.h"

namespace {

std::uint64_t table_bytes(const char* directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".sst") bytes += entry.file_size();
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(fq::store::rocks::database_options(), argv[1],
                                             fq::store::rocks::family_descriptors(), &families, &opened);
  const std::unique_ptr<rocksdb::DB> database(opened);
  std::uint64_t level0 = 0;
  const std::uint64_t before = table_bytes(argv[1]);
  for (rocksdb::ColumnFamilyHandle* family : families) {
    rocksdb::ColumnFamilyMetaData data;
    database->GetColumnFamilyMetaData(family, &data);
    level0 = std::max<std::uint64_t>(level0, data.levels.at(0).files.size());
    if (status.ok()) status = database->Flush(rocksdb::FlushOptions{}, family);
    if (status.ok())
      status = database->CompactRange(rocksdb::CompactRangeOptions{}, family, nullptr, nullptr);
    database->DestroyColumnFamilyHandle(family);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "store_size: %s\n", status.ToString().c_str());
    return 1;
  }
  if (!database->Close().ok()) return 1;
  std::printf("%llu %llu %llu\n", static_cast<unsigned long long>(level0),
              static_cast<unsigned long long>(before), static_cast<unsigned long long>(table_bytes(argv[1])));
}
