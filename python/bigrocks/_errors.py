"""The exceptions of the package: one for each kind of failure."""


class Error(Exception):
    """A failure. `what` says it and `hint` what to try (or is empty); `file`, `line` and `column` say where, as far as
    that is known ('' and 0 where not). `status` is the library's number of its kind."""

    status = 5

    def __init__(self, what, hint='', file='', line=0, column=0, status=None):
        place = file + (':%d' % line if line else '') + (':%d' % column if column else '')
        said = '%s; %s' % (what, hint) if hint else what
        super().__init__('%s: %s' % (place, said) if place else said)
        self.what, self.hint, self.file, self.line, self.column = what, hint, file, line, column
        if status is not None:
            self.status = status

    def __reduce__(self):
        return type(self), (self.what, self.hint, self.file, self.line, self.column, self.status)


class Refused(Error):
    """The answer is no: a check or a task failed."""
    status = 1


class UsageError(Error, ValueError):
    """The call makes no sense."""
    status = 2


class InputError(Error, ValueError):
    """A file, a job or a value in it is wrong."""
    status = 3


class SystemFault(Error):
    """Memory, files, processes, or a program that is missing."""
    status = 5


def of(status, what, hint='', file='', line=0, column=0):
    """The exception of this kind."""
    kind = {1: Refused, 2: UsageError, 3: InputError, 5: SystemFault}.get(status, Error)
    return kind(what, hint, file, line, column, status)
