#!/usr/bin/env python3
"""The rooms that a plan passes allocate by base/collections/memory.h alone: a block that the C library gives them is
no part of a planner's memory, and one of that memory must not go to its free(). Its sorts allocate as they like.

check_allocators.py ARCHIVE
"""
import re
import subprocess
import sys

ROOMS = re.compile(r'\b(planner_|base_collections_)[\w]+\.c\.o\b')
TAKES = {'malloc', 'calloc', 'realloc', 'reallocarray', 'aligned_alloc', 'posix_memalign', 'free', 'qsort', 'qsort_r',
         'strdup', 'strndup', 'asprintf', 'vasprintf', 'getline', 'fopen', 'open_memstream'}
# The allocator itself; a sort where memory is out; a block of vectors, which br_free gives to free().
EXCUSED = {('base_collections_memory', name) for name in ('malloc', 'calloc', 'realloc', 'free')} | {
    ('base_collections_sort', 'qsort'), ('base_collections_sort', 'qsort_r'), ('planner_rcpsp_workspace', 'aligned_alloc')}


def main():
    done = subprocess.run(['nm', '-A', '-u', sys.argv[1]], check=True, text=True, capture_output=True)
    found, rooms = set(), set()
    for line in done.stdout.splitlines():
        room = ROOMS.search(line)
        if room:
            rooms.add(room[0][:-len('.c.o')])
            name = line.split()[-1].split('@')[0]
            if name in TAKES:
                found.add((room[0][:-len('.c.o')], name))
    faults = ['%s calls %s' % pair for pair in sorted(found - EXCUSED)]
    faults += ['%s calls no %s: take it from the excuses' % pair for pair in sorted(EXCUSED - found)]
    if len(rooms) < 50:
        faults.append('%d sources found: the archive was not understood' % len(rooms))
    print('\n'.join(faults) or '%d sources allocate by memory.h' % len(rooms))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
