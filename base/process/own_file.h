/* A name in a folder that is removed only while it still names the file that was put there: in
 * between, other processes may have removed it and put theirs. */
#ifndef BR_BASE_PROCESS_OWN_FILE_H
#define BR_BASE_PROCESS_OWN_FILE_H

#include <limits.h>
#include <stdbool.h>

struct br_own_file {
    char path[PATH_MAX]; /* absolute */
    int fd; /* keeps the file open, so that no other gets its inode number; -1: there is none */
};

/* Locks the folder of the file; processes that check and change a name do so one after another.
 * Returns a descriptor, whose closing unlocks it, or -1 with errno, EWOULDBLOCK if another process
 * has held the lock for two seconds. Without locks in the file system, or if the folder may not be
 * read, there is no such safety. */
int br_folder_lock(const char *path);

/* Records the file that has the name now. False with errno if there is none. */
bool br_own_file_note(struct br_own_file *file, const char *path);
/* Removes the name if it still names the recorded file, and forgets it. */
void br_own_file_remove(struct br_own_file *file);

#endif
