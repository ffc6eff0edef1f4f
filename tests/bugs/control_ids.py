#!/usr/bin/env python3
"""Ids that the native form can hold come through DOT as they are, and the trace of a run stays JSON and CSV."""
import csv
import json
import os
import xml.etree.ElementTree as tree

import case

ID = 'a\tb\nc\x7fd"\\é'
JOB = ('<job xmlns="urn:bigrocks:job:1"><stage id="a&#9;b&#10;c&#127;d&quot;\\é" tasks="2" duration="1">'
       '<command>true</command></stage></job>')

with case.folder() as folder:
    job, dot, back = (os.path.join(folder, name) for name in ('job.xml', 'job.dot', 'back.xml'))
    with open(job, 'w', encoding='utf-8') as out:
        out.write(JOB)
    for source, to in ((job, dot), (dot, back)):
        done = case.bigrocks('convert', source, '-o', to)
        assert done.returncode == 0, done
    ids = [stage.get('id') for stage in tree.parse(back).getroot() if stage.tag.endswith('stage')]
    assert ids == [ID], ids
    for name in 'trace.json', 'trace.csv':
        path = os.path.join(folder, name)
        done = case.bigrocks('run', job, '--capacity', 'cpu=1', '--trace', path)
        assert done.returncode == 0, done
        with open(path, encoding='utf-8', newline='') as text:
            rows = list(csv.DictReader(text)) if name.endswith('.csv') else [json.loads(line) for line in text]
        assert sorted(row['task'] for row in rows) == [ID + '[0]', ID + '[1]'], rows
