/* The width comes from the kernel, so that it follows a window that changes. */
#include <stdlib.h>
#include <sys/ioctl.h>

#include "cli/terminal/terminal.h"

uint32_t cli_terminal_columns(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char *text = getenv("COLUMNS");
    char *end;
    long columns = text ? strtol(text, &end, 10) : 0;
    return columns > 0 && columns < 10000 && !*end ? (uint32_t)columns : 0;
}
