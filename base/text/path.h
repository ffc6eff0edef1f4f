/* Paths as text. */
#ifndef BR_BASE_TEXT_PATH_H
#define BR_BASE_TEXT_PATH_H

/* Shortens a path in place, as ninja does (util.cc, CanonicalizePath): no "//", no "./", no
 * "x/../", no '/' at the end. A ".." with nothing to remove stays, also after the root. An empty
 * result becomes "."; an empty path stays empty. The text never gets longer. O(length).
 */
void br_path_shorten(char *path);

#endif
