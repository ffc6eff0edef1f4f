#include "cluster/workload/write/form.h"

#include <string.h>

void br_write_table_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")] && *text != ' ' && *text != '\t') {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}
