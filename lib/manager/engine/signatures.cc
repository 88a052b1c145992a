#include "manager/engine/signatures.h"

namespace fq::manager {

Signatures system_signatures() {
  return {"fq", FQ_SYSCONFDIR "/imp.pub", "/etc/machine-id"};
}

}  // namespace fq::manager
