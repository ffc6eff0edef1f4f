/* Figures as data: numbers with decimals, and the keys of JSON objects that hold them. No locale
 * and no printf of a non-integer can change a byte. */
#ifndef BR_EMIT_WRITE_FIGURES_H
#define BR_EMIT_WRITE_FIGURES_H

#include <stdint.h>
#include <stdio.h>

/* A number to nine decimals, without trailing zeros; `none` if it is unknown (not finite). */
void br_write_figure(FILE *out, double value, const char *none);
/* The number rounded for people, as by br_write_about. */
void br_write_figure_about(FILE *out, double value, const char *none);
/* Seconds rounded for people: four significant digits or more, no trailing zeros. */
void br_write_about(FILE *out, int64_t ns);
/* The shortest plain decimal that is read as this number. */
void br_write_real(FILE *out, double value);
/* `"key": "text"` and `"key": number` of a JSON object, after `before`; null if the number is
 * unknown. */
void br_write_text_key(FILE *out, const char *before, const char *key, const char *text);
void br_write_figure_key(FILE *out, const char *before, const char *key, double value);

#endif
