/* Helpers of all outputs: texts escaped for a format, names of tasks and machines, exact numbers.
 * The calls write to a FILE and leave errors in the FILE's error flag; br_write_finish turns that
 * into a diagnostic once, at the end. */
#ifndef BR_EMIT_WRITE_WRITE_H
#define BR_EMIT_WRITE_WRITE_H

#include <stdio.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"

/* The escaping of a text. Quotes around it are the caller's. Bytes that are not UTF-8, and
 * characters that the format cannot hold, become U+FFFD. Invisible characters, and those that end a
 * line for some readers or turn the direction of the text around them, are written as numbers if
 * the format has a form for that. */
enum br_quote {
    BR_QUOTE_JSON,      /* inside "..." of JSON, Python, YAML */
    BR_QUOTE_C,         /* inside "..." of C */
    BR_QUOTE_SCRIPT,    /* inside "..." of JSON in HTML, where "<" could end the script */
    BR_QUOTE_ATTRIBUTE, /* inside an XML attribute's "..." */
    BR_QUOTE_XML,       /* XML text */
    BR_QUOTE_DOT,       /* inside a DOT "..." that is read back as it is: ids, values */
    BR_QUOTE_BRACKETS,  /* a DOT <...> as a whole, which has neither quotes nor backslashes */
    BR_QUOTE_LABEL,     /* inside a DOT "..." that Graphviz draws: \ and line breaks are kept */
    BR_QUOTE_MERMAID,   /* a name in Mermaid, also inside "..." */
    BR_QUOTE_TABS,      /* a field between tabs, or in a comment: \t, \n, \r, \\ and \u2028; no
                           formula */
    BR_QUOTE_LINE,      /* for people: as between tabs, but a name may begin with "@" or "=" */
    BR_QUOTE_CSV, /* as between tabs, inside "..." of CSV, where a quotation mark is doubled */
};

void br_write_text(FILE *out, enum br_quote quote, const char *text);
/* The first `size` bytes of the text, which end with a whole character. */
void br_write_part(FILE *out, enum br_quote quote, const char *text, size_t size);
/* At most `characters` characters of the text, with "..." at the end if it was cut. A path, which
 * has no blanks, loses its first folders instead, since its end says more: ".../db/format.o", or
 * "format.o". */
void br_write_cut(FILE *out, enum br_quote quote, const char *text, uint32_t characters);
/* As br_write_cut for the first `size` bytes of the text, which end with a whole character. */
void br_write_cut_part(FILE *out, enum br_quote quote, const char *text, size_t size,
                       uint32_t characters);
/* The number of bytes at the beginning of a text that every format writes as they are, in the
 * middle of a text. */
size_t br_text_plain(const char *text);
/* Number of characters (code points) of the text. */
uint32_t br_text_length(const char *text);

/* "stage[i]", or "stage" if the stage has one task. O(log stages). */
void br_write_task(FILE *out, enum br_quote quote, const struct br_dag *dag, uint32_t task);
/* What a picture adds to the id of a stage for a box of so many tasks, of which the given one is
 * the first: "[3]" or " x 12", then the alternative by which they run, "[3] (four)"; to be written
 * by br_write_text. */
enum { BR_SUFFIX = 100 };
void br_write_suffix(const struct br_stage *stage, uint32_t task, uint32_t tasks,
                     char text[BR_SUFFIX]);
/* "class[i]", or "class" if the class has one machine. O(log classes). */
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

/* Flushes. BR_SYSTEM if anything written so far was lost. */
enum br_status br_write_finish(FILE *out, struct br_diag *diag);

#endif
