/* The messages between 'bigrocks serve' and 'bigrocks admit': texts over a Unix socket that keeps
 * their bounds (SOCK_SEQPACKET).
 *
 *   client  ask KEY DEMAND   a command wants to start; DEMAND may be empty
 *   server  go               it may
 *   server  no REASON        it must not
 *   server  failed REASON    the server cannot decide, such as when out of memory
 *   client  end WALL CPU MEM the command has ended well and used so much (nanoseconds, bytes)
 *   client  end              it has ended otherwise
 *   client  status           who runs, and who waits for what? The server sends texts, and hangs up
 *
 * Fields are separated by line ends. A message is at most ADMISSION_MESSAGE bytes long, and a key
 * ADMISSION_KEY. The open connection is the admission: when it closes, for whatever reason, what
 * the command held is free again. The command inherits it, so that what a client held that was
 * killed stays held while its command still runs.
 */
#ifndef BR_CLI_ADMISSION_ADMISSION_H
#define BR_CLI_ADMISSION_ADMISSION_H

#include <bigrocks/diag.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { ADMISSION_MESSAGE = 16384, ADMISSION_KEY = 8192 };

/* The server's other answers begin with these. */
#define ADMISSION_REFUSED "no\n"
#define ADMISSION_FAILED "failed\n"

/* The variable that names the socket, and the one that tells a command that it has been admitted,
 * so that its children do not wait for resources that it holds. */
#define ADMISSION_SOCKET "BIGROCKS_SOCKET"
#define ADMISSION_HELD "BIGROCKS_ADMITTED"

/* BR_USAGE if the path is too long for a socket. */
enum br_status cli_admission_address(const char *path, struct sockaddr_un *address,
                                     struct br_diag *diag);

#endif
