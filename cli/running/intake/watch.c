/* Any new file is news, even half-written: the caller checks for that. */
#include "cli/running/intake/watch.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

static const int64_t second_ns = INT64_C(1000000000);

static int64_t intake_watch_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * second_ns + now.tv_nsec;
}

static const uint32_t seen = IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_ONLYDIR;

/* Watches the folder and those in it. Watching one twice changes nothing. */
static void intake_watch_add_folders(struct cli_intake_watch *watch)
{
    DIR *folder = opendir(watch->path);
    struct dirent *entry;
    inotify_add_watch(watch->notify, watch->path, seen);
    while (folder && (entry = readdir(folder))) {
        char path[PATH_MAX];
        if (entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
            snprintf(path, sizeof path, "%s/%s", watch->path, entry->d_name) < (int)sizeof path)
            inotify_add_watch(watch->notify, path, seen);
    }
    if (folder)
        closedir(folder);
}

void cli_intake_watch_open(struct cli_intake_watch *watch, const char *path)
{
    *watch = (struct cli_intake_watch){
        .notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .path = path, .news = true};
    if (watch->notify >= 0)
        intake_watch_add_folders(watch);
}

/* Reads the kernel's events. A new folder is watched before it is listed. */
static void read_news(struct cli_intake_watch *watch)
{
    _Alignas(struct inotify_event) char text[16384];
    ssize_t size;
    bool folders = false;
    while (watch->notify >= 0 && (size = read(watch->notify, text, sizeof text)) > 0) {
        for (char *at = text; at < text + size;) {
            const struct inotify_event *event = (const void *)at;
            folders |= (event->mask & IN_ISDIR) != 0 || (event->mask & IN_Q_OVERFLOW) != 0;
            watch->news = true;
            at += sizeof *event + event->len;
        }
    }
    if (folders)
        intake_watch_add_folders(watch);
}

bool cli_intake_watch_ask(struct cli_intake_watch *watch)
{
    int64_t now = intake_watch_now_ns();
    read_news(watch);
    if (!watch->news && now - watch->looked_ns < (watch->notify < 0 ? 1 : 5) * second_ns)
        return false;
    watch->news = false;
    watch->looked_ns = now;
    return true;
}

void cli_intake_watch_again(struct cli_intake_watch *watch)
{
    const int64_t soon_ns = second_ns / 5, every = (watch->notify < 0 ? 1 : 5) * second_ns;
    if (watch->looked_ns > intake_watch_now_ns() - every + soon_ns)
        watch->looked_ns = intake_watch_now_ns() - every + soon_ns;
}

void cli_intake_watch_close(struct cli_intake_watch *watch)
{
    if (watch->notify >= 0)
        close(watch->notify);
    watch->notify = -1;
}
