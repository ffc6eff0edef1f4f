/* Tokens of a jobserver, as GNU make has it: a pipe or a named one with a byte for every process
 * that may run beyond the first of each that shares it. Who runs one more takes a byte, and writes
 * the same one back when that has ended. So all programs together that know it keep one limit:
 * make, cargo, ninja from 1.13 (named pipes only), and this one. Source: GNU make's manual,
 * "Sharing Job Slots with GNU make". */
#ifndef BR_RUNTIME_JOBSERVER_JOBSERVER_H
#define BR_RUNTIME_JOBSERVER_JOBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <bigrocks/diag.h>

struct br_jobserver;

enum br_jobserver_form { BR_JOBSERVER_PIPE, BR_JOBSERVER_FIFO };

/* Joins the jobserver that a value of $MAKEFLAGS names. *jobserver is NULL, and BR_OK the answer,
 * where it names none; BR_NO with a reason where it names one that this process cannot reach, as
 * make leaves those that it does not take for makes. */
enum br_status br_jobserver_join(const char *makeflags, struct br_jobserver **jobserver,
                                 struct br_diag *diag);
/* Makes one of so many processes (at least 1) together, the caller's first among them, and puts it
 * into this process's MAKEFLAGS for all that it starts. A named pipe has its name in /proc, as
 * long as this process is there. BR_SYSTEM. */
enum br_status br_jobserver_create(enum br_jobserver_form form, uint32_t processes,
                                   struct br_jobserver **jobserver, struct br_diag *diag);
/* Gives back all that is held, and ends what was made. NULL is fine. */
void br_jobserver_destroy(struct br_jobserver *jobserver);

/* Takes one more token if there is one. Never waits. */
bool br_jobserver_take(struct br_jobserver *jobserver);
/* Gives back tokens until no more than so many are held. Of one that this process has made and that
 * nobody uses any more, `idle`, those that a killed program has taken along are made anew. */
void br_jobserver_keep(struct br_jobserver *jobserver, uint32_t held, bool idle);
uint32_t br_jobserver_held(const struct br_jobserver *jobserver);
/* A descriptor that is readable when there may be a token. */
int br_jobserver_watch(const struct br_jobserver *jobserver);

/* Gives back what a process held that has died, in one that was forked from it, by a descriptor
 * that br_jobserver_way has named. */
int br_jobserver_way(const struct br_jobserver *jobserver);
void br_jobserver_settle(const struct br_jobserver *jobserver, int way);

/* MAKEFLAGS without its jobserver, in place. */
void br_jobserver_strip(char *makeflags);

#endif
