/* A name in a folder that is taken back only while it still is the name of the very file that was
 * put there: between the two others may have removed it and put theirs. */
#ifndef BR_BASE_PROCESS_OWN_FILE_H
#define BR_BASE_PROCESS_OWN_FILE_H

#include <limits.h>
#include <stdbool.h>

struct br_own_file {
    char path[PATH_MAX]; /* absolute */
    int fd;              /* keeps the file, so that no other gets its number; -1: there is none */
};

/* Locks the folder of the file, in which processes look at a name and change it one after another.
 * Returns a descriptor, whose closing unlocks it, or -1 with errno, EWOULDBLOCK if somebody has
 * held the lock for two seconds. Where a file system knows no locks, or the folder may not be read,
 * there is no such safety. */
int br_folder_lock(const char *path);

/* Notes the file that has the name now. False with errno if there is none. */
bool br_own_file_note(struct br_own_file *file, const char *path);
/* Removes the name if it is still that of the noted file, and forgets it. */
void br_own_file_remove(struct br_own_file *file);

#endif
