#include "store/rocks/sparing_table_factory.h"

#include <utility>

#include <rocksdb/options.h>

namespace fq::store::rocks {
namespace {

class SparingTableFactory final : public rocksdb::TableFactory {
 public:
  explicit SparingTableFactory(std::shared_ptr<rocksdb::TableFactory> tables) : tables_(std::move(tables)) {}

  // For RocksDB it is what it stands for.
  const char* Name() const override { return tables_->Name(); }
  const rocksdb::Customizable* Inner() const override { return tables_.get(); }

  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& database,
                                  const rocksdb::ColumnFamilyOptions& family) const override {
    return tables_->ValidateOptions(database, family);
  }

  using TableFactory::NewTableReader;
  rocksdb::Status NewTableReader(const rocksdb::ReadOptions& reading,
                                 const rocksdb::TableReaderOptions& options,
                                 std::unique_ptr<rocksdb::RandomAccessFileReader>&& file, std::uint64_t size,
                                 std::unique_ptr<rocksdb::TableReader>* table, bool) const override {
    constexpr bool kWithAllParts = false;
    return tables_->NewTableReader(reading, options, std::move(file), size, table, kWithAllParts);
  }
  rocksdb::TableBuilder* NewTableBuilder(const rocksdb::TableBuilderOptions& options,
                                         rocksdb::WritableFileWriter* file) const override {
    return tables_->NewTableBuilder(options, file);
  }
  bool IsDeleteRangeSupported() const override { return tables_->IsDeleteRangeSupported(); }

 private:
  std::shared_ptr<rocksdb::TableFactory> tables_;
};

}  // namespace

std::shared_ptr<rocksdb::TableFactory> sparing(std::shared_ptr<rocksdb::TableFactory> tables) {
  return std::make_shared<SparingTableFactory>(std::move(tables));
}

}  // namespace fq::store::rocks
