#!/usr/bin/env python3
"""A file as an array of C: embed.py FILE NAME OUTPUT."""
import pathlib
import sys

content = pathlib.Path(sys.argv[1]).read_bytes() + b'\0'
lines = [', '.join(map(str, content[k:k + 20])) for k in range(0, len(content), 20)]
pathlib.Path(sys.argv[3]).write_text('static const char %s[] = {\n    %s};\n'
                                     % (sys.argv[2], ',\n    '.join(lines)))
