/* JSON walked in place: memory does not grow with the file, every value has its line and column,
 * and a number is its text, because a double would not keep it.
 *
 * The walk is sticky: after the first fault every call does nothing and returns false, and
 * json->status and the diagnostic describe the fault. So a reader is a series of calls and one
 * check of the status at the end. Members of objects come in any order: br_json_fields looks up the
 * known ones first, then the reader goes to each. */
#ifndef BR_PARSERS_TEXT_JSON_H
#define BR_PARSERS_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"

struct br_json {
    enum br_status status;
    struct br_diag *diag;         /* borrowed; may be NULL */
    const char *start, *at, *end; /* the text, and how far the walk is */
    bool fresh;                   /* nothing of the current object or array has been read yet */
    char *text;                   /* the last string or number */
    char *key;                    /* the last key */
    size_t text_room, key_room;
    const char *counted; /* lines are counted up to here */
    const char *line_start;
    uint32_t line, first_line; /* first_line: of the start of the text */
};

/* Starts at the beginning of the text of `size` bytes, NUL-terminated, borrowed. */
void br_json_init(struct br_json *json, const char *text, size_t size, struct br_diag *diag);
/* Starts again with another text, which begins at this line of its file, in the same memory. */
void br_json_restart(struct br_json *json, const char *text, size_t size, uint32_t line);
void br_json_finish(struct br_json *json);

/* The place of a byte of the text. O(bytes from the last one's). */
struct br_pos br_json_pos(struct br_json *json, const char *at);
/* Records a fault at a byte of the text, unless there is one already. Returns false. */
bool br_json_fail(struct br_json *json, const char *at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Takes over a status from elsewhere, whose diagnostic then gets the place. True for BR_OK. */
bool br_json_take(struct br_json *json, const char *at, enum br_status status);

/* The first character of the next value, 0 at the end; json->at is its place. */
char br_json_peek(struct br_json *json);
/* Enters an object or an array; `what` names what was expected, such as "the stages". */
bool br_json_object(struct br_json *json, const char *what);
bool br_json_array(struct br_json *json, const char *what);
/* Moves to the next element of the array, or leaves it and returns false. */
bool br_json_item(struct br_json *json);
/* Moves to the next value of the object, or leaves it and returns false. json->key is its key,
 * valid until the next key is read. */
bool br_json_member(struct br_json *json);
/* Reads a string, a number, or either; json->text is the string decoded or the number as it is
 * written, valid until the next one is read. `what` as above. */
bool br_json_string(struct br_json *json, const char *what);
bool br_json_number(struct br_json *json, const char *what);
bool br_json_scalar(struct br_json *json, const char *what);
/* A whole number from 0 to most. */
bool br_json_count(struct br_json *json, const char *what, uint64_t most, uint64_t *count);
/* A number of seconds, as nanoseconds, exact up to 18 significant digits (31 years to the
 * nanosecond). At most 2^61 on either side of 0. */
bool br_json_seconds(struct br_json *json, const char *what, int64_t *ns);
/* Skips a value of any kind. */
bool br_json_skip(struct br_json *json);
/* Only blanks may follow. */
bool br_json_done(struct br_json *json);

/* A member of an object: the place of its value, NULL if it is absent. */
struct br_json_field {
    const char *name;
    bool required;
    const char *at;
};
/* Walks over the next value, which must be an object, and finds its members. A repeated member is a
 * fault, unknown ones are skipped. `what` as above. */
bool br_json_fields(struct br_json *json, const char *what, struct br_json_field *field,
                    size_t fields);
/* Goes to the field's value; false if it is absent or after a fault. */
bool br_json_go(struct br_json *json, const struct br_json_field *field);
/* Calls item for every element of the array at the field, from 0; none if it is absent. False after
 * a fault. The walk may stand anywhere afterwards. */
bool br_json_each(struct br_json *json, const struct br_json_field *field, const char *what,
                  bool (*item)(void *context, uint32_t k), void *context);
/* Reads the field's value if it is there; else leaves *value unchanged. False after a fault. */
bool br_json_optional_count(struct br_json *json, const struct br_json_field *field, uint64_t most,
                            uint64_t *value);
bool br_json_optional_count32(struct br_json *json, const struct br_json_field *field,
                              uint32_t *value);
bool br_json_optional_seconds(struct br_json *json, const struct br_json_field *field, int64_t *ns);

#endif
