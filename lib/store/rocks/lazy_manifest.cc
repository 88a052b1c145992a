#include "store/rocks/lazy_manifest.h"

#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace fq::store::rocks {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr std::string_view kTemporarySuffix = ".dbtmp";

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
bool is_manifest(std::string_view path) {
  return name_of(path).starts_with(kManifestPrefix);
}

// What RocksDB writes as the next CURRENT while that is put off.
class Discarded final : public FSWritableFile {
 public:
  using FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    size_ += data.size();
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return size_; }

 private:
  std::uint64_t size_ = 0;
};

}  // namespace

// The manifest: in memory until the switch, in its file from then on.
class LazyManifest::File final : public FSWritableFile {
 public:
  File(LazyManifest& owner, std::shared_ptr<Manifest> manifest)
      : owner_(&owner), manifest_(std::move(manifest)) {}

  using FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard held(owner_->mutex_);
    if (manifest_->real) {
      IOStatus status = manifest_->real->Append(data, options, debug);
      manifest_->written.bytes += data.size();
      manifest_->written.crc = crc_of(manifest_->written.crc, {data.data(), data.size()});
      return status;  // after a failure RocksDB gives it up
    }
    manifest_->bytes.append(data.data(), data.size());
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard held(owner_->mutex_);
    return manifest_->real ? manifest_->real->Close(options, debug) : IOStatus::OK();
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard held(owner_->mutex_);
    return manifest_->real ? manifest_->real->Flush(options, debug) : IOStatus::OK();
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard held(owner_->mutex_);
    if (manifest_->real) {
      IOStatus status = manifest_->real->Sync(options, debug);
      if (status.ok() && owner_->manifest_ == manifest_) owner_->synced_ = manifest_->written;
      return status;
    }
    return owner_->opening_ || owner_->manifest_ != manifest_ ? IOStatus::OK() : owner_->switch_over();
  }
  std::uint64_t GetFileSize(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard held(owner_->mutex_);
    return manifest_->real ? manifest_->real->GetFileSize(options, debug) : manifest_->bytes.size();
  }

 private:
  LazyManifest* owner_;
  std::shared_ptr<Manifest> manifest_;
};

void LazyManifest::begin_opening() {
  const std::lock_guard held(mutex_);
  manifest_.reset();
  obsolete_.clear();
  failed_ = false;
  synced_ = {};
  opening_ = exists(directory_ + "/CURRENT");
}

ManifestExtent LazyManifest::synced() const {
  const std::lock_guard held(mutex_);
  return synced_;
}

void LazyManifest::set_synced(const ManifestExtent& extent) {
  const std::lock_guard held(mutex_);
  synced_ = extent;
}

void LazyManifest::end_opening() {
  const std::lock_guard held(mutex_);
  opening_ = false;
}

bool LazyManifest::make_file(const std::string& path, const FileOptions& options,
                             std::unique_ptr<FSWritableFile>* file) {
  const std::lock_guard held(mutex_);
  if (is_manifest(path)) {
    // Another one after the opening: RocksDB gives up the one before, and writes CURRENT itself.
    manifest_.reset();
    if (!opening_) {
      synced_ = {};
      return false;
    }
    manifest_ = std::make_shared<Manifest>();
    manifest_->path = path;
    manifest_->options = options;
    *file = std::make_unique<File>(*this, manifest_);
    return true;
  }
  if (!is_put_off() || !opening_ || !path.ends_with(kTemporarySuffix)) return false;
  *file = std::make_unique<Discarded>();
  return true;
}

bool LazyManifest::rename(const std::string& from, const std::string& to) {
  const std::lock_guard held(mutex_);
  return opening_ && is_put_off() && from.ends_with(kTemporarySuffix) && name_of(to) == "CURRENT";
}

bool LazyManifest::remove(const std::string& path) {
  const std::lock_guard held(mutex_);
  if (!is_manifest(path) || (!is_put_off() && !failed_)) return false;
  obsolete_.push_back(path);
  return true;
}

bool LazyManifest::file_size(const std::string& path, std::uint64_t* size) {
  const std::lock_guard held(mutex_);
  if (!is_put_off() || manifest_->path != path) return false;
  *size = manifest_->bytes.size();
  return true;
}

IOStatus LazyManifest::before_removal() {
  const std::lock_guard held(mutex_);
  return is_put_off() || failed_ ? switch_over() : IOStatus::OK();
}

void LazyManifest::current_renamed() {
  const std::lock_guard held(mutex_);
  failed_ = false;
}

IOStatus LazyManifest::switch_over() {
  if (failed_) return IOStatus::IOError("an earlier switch of manifests failed");
  IOStatus status = write_manifest();
  failed_ = !status.ok();
  return status;
}

IOStatus LazyManifest::write_manifest() {
  std::unique_ptr<FSWritableFile> real;
  IOStatus status = target_->NewWritableFile(manifest_->path, manifest_->options, &real, nullptr);
  if (status.ok()) status = real->Append(manifest_->bytes, IOOptions{}, nullptr);
  if (status.ok()) status = real->Sync(IOOptions{}, nullptr);
  if (status.ok()) status = point_current_at(std::string{name_of(manifest_->path)});
  if (!status.ok()) return status;
  manifest_->real = std::move(real);
  const std::string_view number = name_of(manifest_->path).substr(kManifestPrefix.size());
  manifest_->written = {parse_u64(number).value_or(0), manifest_->bytes.size(), crc_of(0, manifest_->bytes)};
  synced_ = manifest_->written;
  manifest_->bytes.clear();
  // One that stays is deleted by who opens the database next.
  for (const std::string& path : std::exchange(obsolete_, {})) {
    target_->DeleteFile(path, IOOptions{}, nullptr).PermitUncheckedError();
  }
  return status;
}

IOStatus LazyManifest::point_current_at(const std::string& name) {
  const std::string temporary =
      directory_ + "/" + name.substr(kManifestPrefix.size()) + std::string{kTemporarySuffix};
  std::unique_ptr<FSWritableFile> file;
  IOStatus status = target_->NewWritableFile(temporary, FileOptions{}, &file, nullptr);
  if (status.ok()) status = file->Append(name + "\n", IOOptions{}, nullptr);
  if (status.ok()) status = file->Sync(IOOptions{}, nullptr);
  if (status.ok()) status = file->Close(IOOptions{}, nullptr);
  if (status.ok()) status = target_->RenameFile(temporary, directory_ + "/CURRENT", IOOptions{}, nullptr);
  std::unique_ptr<rocksdb::FSDirectory> directory;
  if (status.ok()) status = target_->NewDirectory(directory_, IOOptions{}, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(IOOptions{}, nullptr);
  return status;
}

}  // namespace fq::store::rocks
