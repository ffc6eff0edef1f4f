/* The small change of all outputs: texts escaped as a format wants them, names of tasks and
 * machines, exact numbers. All of it writes to a FILE and leaves errors in
 * the FILE's error flag; br_write_finish turns that into a diagnostic once, at the end. */
#ifndef BR_EMIT_WRITE_WRITE_H
#define BR_EMIT_WRITE_WRITE_H

#include <stdio.h>

#include "planner/model/cluster.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"

/* The escaping of a text. Quotes around it are the caller's. Bytes that are not UTF-8, and
 * characters that the format cannot hold, become U+FFFD. Characters that are not seen, that end a
 * line for some readers, or that turn the direction of what stands around them are written as
 * numbers where the format has a form for that. */
enum br_quote {
    BR_QUOTE_JSON,      /* inside "..." of JSON, Python, YAML */
    BR_QUOTE_C,         /* inside "..." of C */
    BR_QUOTE_SCRIPT,    /* the same inside of HTML, where "<" could end the script */
    BR_QUOTE_ATTRIBUTE, /* inside an XML attribute's "..." */
    BR_QUOTE_XML,       /* XML text */
    BR_QUOTE_DOT,       /* inside a DOT "..." that is read back as it is: ids, values */
    BR_QUOTE_BRACKETS,  /* a DOT <...> as a whole, which has neither quotes nor backslashes */
    BR_QUOTE_LABEL,     /* inside a DOT "..." that Graphviz draws: \ and line breaks are kept */
    BR_QUOTE_TABS,      /* a field between tabs, or in a comment: \t, \n, \r, \\ and \u2028; no
                           formula */
    BR_QUOTE_LINE,      /* the same for people, who may begin a name with "@" or "=" */
    BR_QUOTE_CSV, /* as between tabs, inside "..." of CSV, where a quotation mark is doubled */
};

void br_write_text(FILE *out, enum br_quote quote, const char *text);
/* Its first `size` bytes, which end with a whole character. */
void br_write_part(FILE *out, enum br_quote quote, const char *text, size_t size);
/* At most `characters` characters of the text, the last of them "..." where it was cut. Of a path,
 * which has no blanks, the first folders are left out instead, since its end tells more:
 * ".../db/format.o", or "format.o". */
void br_write_cut(FILE *out, enum br_quote quote, const char *text, uint32_t characters);
/* The same of its first `size` bytes, which end with a whole character. */
void br_write_cut_part(FILE *out, enum br_quote quote, const char *text, size_t size,
                       uint32_t characters);
/* How many bytes at the beginning of a text every format writes as they are, in its midst. */
size_t br_text_plain(const char *text);
/* Number of characters (code points) of the text. */
uint32_t br_text_length(const char *text);

/* "stage[i]", or "stage" where the stage has one task. O(log stages). */
void br_write_task(FILE *out, enum br_quote quote, const struct br_dag *dag, uint32_t task);
/* "class[i]", or "class" where the class has one machine. O(log classes). */
void br_write_machine(FILE *out, enum br_quote quote, const struct br_cluster *cluster,
                      uint32_t machine);

void br_write_count(FILE *out, uint64_t count);
void br_write_seconds(FILE *out, int64_t ns);
void br_write_decimal(FILE *out, struct br_decimal value);
/* numerator / denominator (> 0, both below 2^63) rounded to nine decimals, trailing zeros left
 * out; exact arithmetic, so that no locale and no printf of floats can change a byte. */
void br_write_ratio(FILE *out, int64_t numerator, int64_t denominator);
enum { BR_RATIO_TEXT = 36 };
int br_ratio_format(int64_t numerator, int64_t denominator, char text[BR_RATIO_TEXT]);

/* "barrier" or "one-to-one". */
const char *br_edge_type_name(enum br_edge_type type);

/* Flushes, and answers BR_SYSTEM where anything written so far was lost. */
enum br_status br_write_finish(FILE *out, struct br_diag *diag);

#endif
