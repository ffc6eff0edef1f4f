/* The file of a store: reads and writes rows, and hides SQLite. */
#ifndef BR_STORE_FILE_H
#define BR_STORE_FILE_H

#include "store/row.h"

struct br_store_file;

/* Which row of the form to read. */
enum br_store_which {
    BR_STORE_SAME,    /* the one whose three keys are equal */
    BR_STORE_CLUSTER, /* the newest for the cluster */
    BR_STORE_NEWEST,  /* the newest */
};

bool br_store_file_is_there(void);
/* As br_store_open and br_store_close. */
enum br_status br_store_file_open(const char *path, struct br_store_file **file,
                                  struct br_diag *diag);
void br_store_file_close(struct br_store_file *file);

/* Fills the row, the newest with an id less than `before`, which is the caller's to finish; its id
 * is 0 if the file has none. A row with a wrong checksum has no cells; its contents must not be
 * used, but its id is right. */
enum br_status br_store_file_find(struct br_store_file *file, const struct br_store_keys *keys,
                                  enum br_store_which which, int64_t before,
                                  struct br_store_row *row, struct br_diag *diag);
/* Replaces the row with these keys by the new one, if its id is still row->id (0: none); *written
 * says whether it did. Deletes the oldest rows beyond BR_STORE_KEPT. */
enum br_status br_store_file_put(struct br_store_file *file, const struct br_store_row *row,
                                 bool *written, struct br_diag *diag);
enum br_status br_store_file_count(struct br_store_file *file, uint64_t *plans,
                                   struct br_diag *diag);

#endif
