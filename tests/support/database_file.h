/* A database in a file of its own for each test: set-up and teardown. */
#ifndef BR_TESTS_SUPPORT_DATABASE_FILE_H
#define BR_TESTS_SUPPORT_DATABASE_FILE_H

extern char database_path[64];

int database_make_path(void **state);
/* With all files that the database has made beside it. */
int database_remove(void **state);

#endif
