// What the half of the gate does that stays with the caller.

#pragma once

namespace fq::gate {

/// Passes on what comes on standard input to the socket, and what comes from there to standard output, until
/// the engine has closed it or the caller takes nothing more. The end of standard input is passed on, too.
void copy_until_over(int socket);

}  // namespace fq::gate
