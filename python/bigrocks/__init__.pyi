from typing import Any, Optional, Sequence, Union

from . import _dask
from ._bounds import Bound as Bound, best_bound as best_bound, bound as bound
from ._enforcer import Decision as Decision, Enforcer as Enforcer, policies as policies
from ._errors import Error as Error, InputError as InputError, Refused as Refused
from ._errors import SystemFault as SystemFault, UsageError as UsageError
from ._job import Cluster as Cluster, Job as Job
from ._library import version as version
from ._plan import Plan as Plan, Slack as Slack, Task as Task, Transfer as Transfer, methods as methods, plan as plan
from ._program import Ran as Ran, Read as Read
from ._store import Store as Store, StoreHit as StoreHit
from ._tools import history as history, read as read, render as render, run as run, simulate as simulate

__all__ = ['Bound', 'Cluster', 'Decision', 'Enforcer', 'Error', 'InputError', 'Job', 'Plan', 'Ran', 'Read', 'Refused',
           'Slack', 'Store', 'StoreHit', 'SystemFault', 'Task', 'Transfer', 'UsageError', 'best_bound', 'bound',
           'dask_cluster', 'from_dask', 'history', 'methods', 'plan', 'policies', 'read', 'render', 'run', 'simulate',
           'version']

_Seconds = Union[int, float, str]

def from_dask(what: Any, durations: Any = ..., resources: Any = ..., seconds: _Seconds = ...,
              keys: Optional[Sequence[Any]] = ..., name: str = ...) -> _dask.DaskJob: ...
def dask_cluster(client: Any) -> Cluster: ...
