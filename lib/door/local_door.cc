#include "door/local_door.h"

#include "manager/engine/damaged_store.h"
#include "manager/engine/serve.h"

namespace fq::door {

bool LocalDoor::has_read_damaged() const {
  return manager::has_read_damaged(session_);
}

void LocalDoor::carry(std::size_t kind, const void* request, void* reply, const void* rows) const {
  manager::serve(session_, kind, request, reply, rows);
}

}  // namespace fq::door
