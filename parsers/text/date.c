#include "parsers/text/date.h"

#include <stdio.h>
#include <string.h>

/* Nanoseconds until its end are less than half of what an int64_t holds, so that a date and a
 * duration can be added. */
enum { MOST_YEAR = 2115 };

int64_t br_date_parse(const char *text)
{
    unsigned year, month, day, hour, minute, second, fraction = 0, away_hour, away_minute = 0;
    char sign;
    int read = 0;
    if (sscanf(text, "%4u-%2u-%2u%*1[ T]%2u:%2u:%2u%n", &year, &month, &day, &hour, &minute,
               &second, &read) != 6 ||
        year < 1970 || year > MOST_YEAR || month < 1 || month > 12 || day > 31 || hour > 23 ||
        minute > 59 || second > 60)
        return -1;
    text += read;
    if (*text == '.') {
        static const unsigned scale[] = {0, 100, 10, 1};
        size_t digits = strspn(text + 1, "0123456789");
        if (digits && sscanf(text + 1, "%3u", &fraction) == 1)
            fraction *= scale[digits < 3 ? digits : 3];
        text += 1 + digits;
    }
    /* Days by a calendar that begins in March, so that leap days come last. */
    int64_t y = (int64_t)year - (month <= 2), m = (month + 9) % 12;
    int64_t days =
        365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + (int64_t)day - 1 - 719468;
    int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    if ((*text == '+' || *text == '-') &&
        sscanf(text, "%c%2u:%2u", &sign, &away_hour, &away_minute) >= 2 && away_hour < 24) {
        int64_t away = (int64_t)(away_hour * 60 + away_minute) * 60;
        seconds += sign == '+' ? -away : away;
    }
    return seconds < 0 ? -1 : seconds * 1000000000 + (int64_t)fraction * 1000000;
}
