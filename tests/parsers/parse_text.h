/* Parsing texts and fixtures in tests, with a job written out as one text to compare. */
#ifndef BR_TESTS_PARSERS_PARSE_TEXT_H
#define BR_TESTS_PARSERS_PARSE_TEXT_H

#include <stddef.h>

#include "parsers/parsers.h"

/* A path under which the bytes can be read as a file, once; NULL where the system has no such
 * thing. Release by parse_text_close. */
struct parse_text {
    int fd;
    char path[64];
};
struct parse_text parse_text_open(const void *bytes, size_t size);
void parse_text_close(struct parse_text *text);

/* Path of a file in tests/data; static storage. */
const char *parse_fixture(const char *name);
/* The content of a file, NUL-terminated, for the caller to free. */
char *parse_file(const char *path, size_t *size);

/* "map*3 12.5 (61@1) cpu=1 mem=2; map>sort! @3:3" and so on: the job on one line per stage and per
 * edge, in order. Static storage. */
const char *parse_describe(const struct br_input *input);

#endif
