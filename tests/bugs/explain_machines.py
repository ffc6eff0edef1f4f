"""`bound --explain` tells what a machine more of each class brings, not one percent more of them, and
takes resources by any name: one called "machines", one longer than an option may be, one with signs.
"""
from case import bigrocks, folder


def job(resource, tasks):
    return ('<job xmlns="urn:bigrocks:job:1" name="j"><cluster>'
            '<machine class="m" count="%d"><capacity resource="%s" amount="1"/></machine></cluster>'
            '<stage id="a" tasks="%d" duration="1"><demand resource="%s" amount="1"/></stage></job>'
            % (300 if tasks == 30300 else 4, resource, tasks, resource))


def remedies(where, resource, tasks):
    path = where / 'job.xml'
    path.write_text(job(resource, tasks), encoding='utf-8')
    done = bigrocks('bound', path, '--no-lp', '--explain')
    assert done.returncode == 0, (resource, done.stderr)
    return done.stdout.split('what more would bring')[1].splitlines()[1:]


with folder() as scratch:
    import pathlib
    scratch = pathlib.Path(scratch)
    # 30,300 tasks on 301 machines take as many rounds as on 300; one percent more would save one.
    assert 'nothing' in remedies(scratch, 'cpu', 30300)[0]
    for name in ('cpu', 'machines', 'a+5', 'b,c+25%', 'l' * 300):
        # A quarter more of a machine's one slot is no slot more, and a fifth machine is a round less.
        assert remedies(scratch, name, 20) == ['  machines+1: 4 s (-20.0 %)'], name
