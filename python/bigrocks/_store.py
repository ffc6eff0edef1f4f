"""Plans that are kept in a file."""
import collections
import ctypes

from ._errors import UsageError
from ._library import Hit, Owner, call, handle, lib, path_of
from ._plan import Plan, search_options


StoreHit = collections.namedtuple('StoreHit', 'match same_details same_cluster stored found enough fresh')


class Store(Owner):
    """Plans kept in a file and found again, by the job's form, its durations and demands, and the cluster.

        with bigrocks.Store('plans.db') as store:
            plan = store.plan(job, cluster, effort='default')
            print(plan.hit.match)  # 'miss', 'exact' or 'refitted'

    Several programs may use the file at once, and several threads one store."""

    def __init__(self, path):
        self._store = None
        made = ctypes.c_void_p()
        call(lib.br_store_open, path_of(path), ctypes.byref(made))
        self._store = made

    def __del__(self):
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Releases the file; the store cannot be used any more."""
        if getattr(self, '_store', None):
            lib.br_store_close(self._store)
        self._store = None

    def _open(self):
        if not self._store:
            raise UsageError('the store is closed', 'open it again: bigrocks.Store(path)')
        return self._store

    def __bool__(self):
        return True  # also where it holds no plan yet

    def __len__(self):
        """How many plans the file holds."""
        plans = ctypes.c_uint64()
        call(lib.br_store_count, self._open(), ctypes.byref(plans))
        return plans.value

    def _ask(self, function, job, cluster, options):
        made, hit = ctypes.c_void_p(), Hit()
        call(function, self._open(), handle(job, '_planned', 'job'), handle(cluster, '_cluster', 'cluster'),
             ctypes.byref(options), ctypes.byref(made), ctypes.byref(hit))
        told = StoreHit(('miss', 'exact', 'refitted')[hit.match], hit.same_details, hit.same_cluster,
                        hit.stored_ns / 1e9, hit.found_ns / 1e9, hit.enough, hit.fresh_ns / 1e9)
        return Plan(made, job, cluster, None, told) if made else None

    def get(self, job, cluster, **search):
        """The plan that is kept for the job, or one of its form refitted, or None. The keywords are those of
        `plan`; `hit.enough` of the result says whether as much effort went into it."""
        return self._ask(lib.br_store_get, job, cluster, search_options(**search))

    def put(self, plan):
        """Keeps the plan, unless a shorter one of the same job is there."""
        made = handle(plan, '_plan', 'plan')
        options = plan._options
        call(lib.br_store_put, self._open(), plan._job._dag, plan._cluster._cluster,
             ctypes.byref(options) if options else None, made)

    def plan(self, job, cluster, **search):
        """Plans the job with what is kept, and keeps what comes of it; the keywords are those of `plan`.
        `hit.found` and `hit.fresh` of the result are the makespans of the plan that was found and of the one
        that was made beside it, in seconds; 0: there was none."""
        return self._ask(lib.br_store_plan, job, cluster, search_options(**search))
