// Paths of one store directory that belong to running jobs, and the making of the directories.
//
//   alive/<id>                 flock held by the job's shell: its sign of life
//   guest/<id>/launch.json     what the shell is to run (launch.h)
//   guest/<id>/exec.eventlog   what the shell did (exec_log.h)
//   guest/<id>/output, input   standard I/O (RFC 24)
//   guest/<id>/tasks           the processes that were started (task_record.h)
//   guest/<id>/control         orders to the shell (control.h)
//   data/<id>/                 final guest files too large for the database
//   wake/<id>.<pid>            a FIFO per waiting command (wake.h)
//   trash/                     what is out of use, until somebody who is not waited for frees it
//   (base/trash.h) inbox/<id>                 the job's shell waits for the store lock to report the end
//   (manager/engine/inbox.h)
//
// <id> is the job id in dothex (RFC 19). Directories have mode 0700, files 0600.

#pragma once

#include <string>
#include <vector>

#include "notation/fluid.h"

namespace fq::meeting {

class JobFiles {
 public:
  /// The store at `store_dir`; a relative path is taken from the working directory of now.
  explicit JobFiles(const std::string& store_dir);

  [[nodiscard]] const std::string& store() const { return store_; }
  /// The same for every path that leads to the store, and no other store's: device and inode in hexadecimal,
  /// `801-5f3a`. It may change when the machine is started again. Throws Error when the store is gone.
  [[nodiscard]] std::string identity() const;

  [[nodiscard]] std::string alive_dir() const { return store_ + "/alive"; }
  [[nodiscard]] std::string alive(notation::JobId id) const;

  [[nodiscard]] std::string guest_dir() const { return store_ + "/guest"; }
  [[nodiscard]] std::string guest(notation::JobId id) const;
  [[nodiscard]] std::string launch(notation::JobId id) const { return guest(id) + "/launch.json"; }
  [[nodiscard]] std::string exec_eventlog(notation::JobId id) const { return guest(id) + "/exec.eventlog"; }
  [[nodiscard]] std::string output(notation::JobId id) const { return guest(id) + "/output"; }
  [[nodiscard]] std::string input(notation::JobId id) const { return guest(id) + "/input"; }
  [[nodiscard]] std::string tasks(notation::JobId id) const { return guest(id) + "/tasks"; }
  [[nodiscard]] std::string said(notation::JobId id) const { return guest(id) + "/said"; }
  [[nodiscard]] std::string control(notation::JobId id) const { return guest(id) + "/control"; }

  [[nodiscard]] std::string data_dir() const { return store_ + "/data"; }
  [[nodiscard]] std::string data(notation::JobId id) const;

  [[nodiscard]] std::string wake_dir() const { return store_ + "/wake"; }

  [[nodiscard]] std::string trash_dir() const { return store_ + "/trash"; }

  [[nodiscard]] std::string inbox_dir() const { return store_ + "/inbox"; }
  [[nodiscard]] std::string inbox(notation::JobId id) const;

  /// Creates alive/, guest/, data/, wake/ and inbox/ where they are missing.
  void create_directories() const;
  /// Creates guest/<id>/ where it is missing.
  void create_guest(notation::JobId id) const;
  /// Removes guest/<id>/ and what is in it, into the trash. Missing is fine.
  void remove_guest(notation::JobId id) const;

  /// Removes data/<id>/ and what is in it. Missing is fine.
  void remove_data(notation::JobId id) const;

  /// The jobs that have a file in alive/, ascending. Files of other names are passed over.
  [[nodiscard]] std::vector<notation::JobId> alive_ids() const;
  /// The jobs that have a guest directory, and those that have a directory under data/, ascending.
  [[nodiscard]] std::vector<notation::JobId> guest_ids() const;
  [[nodiscard]] std::vector<notation::JobId> data_ids() const;
  /// The jobs that have a file in inbox/, ascending.
  [[nodiscard]] std::vector<notation::JobId> inbox_ids() const;

 private:
  std::string store_;
};

}  // namespace fq::meeting
