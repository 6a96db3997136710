"""All workers of a service run uploaded bots in one runtime: the first one that builds it publishes its
WebAssembly file, and the others fetch that, check it, and compile it themselves.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

from arena.errors import ArenaError
from arena.sandbox.building import component_name, digest_of, python_component, python_recipe
from arena.sandbox.cache import cache_folder, cached
from arena.sandbox.runtime import Runtime, load_runtime, use_runtime, used_runtime
from arena.store.runtimes import PublishedRuntime, RuntimeStore

log = logging.getLogger(__name__)


class OtherRuntime(ArenaError):
    """The process cannot run the runtime of the service."""

    code = "other_runtime"


class RuntimeReplaced(ArenaError):
    """The runtime of the service is no longer that of this process, which has to start again."""

    code = "runtime_replaced"


class Runtimes:
    """The service's runtime in this process. ``is_own``: all processes of the service are of this
    installation, so that a runtime of an earlier one makes room when they start.
    """

    def __init__(self, store: RuntimeStore, now_ms: Callable[[], int], *, is_own: bool = False) -> None:
        self._store = store
        self._now_ms = now_ms
        self._is_own = is_own

    def check(self) -> None:
        """Check that the process can run the service's runtime, if that has one; called before the process
        takes its first job.

        Raises :class:`OtherRuntime`, :class:`RuntimeReplaced`, and
        :class:`~arena.sandbox.errors.BuildFailed`.
        """
        current = self._store.current()
        if current is None:
            return
        try:
            self.ready()
        except OtherRuntime as error:
            if not self._is_own:
                raise
            log.warning("%s: this installation's will replace it", error.message)
            self._store.retire(current)

    def ready(self) -> Runtime:
        """Return the service's runtime, which is built and published first if there is none. Raises as
        :meth:`check`.
        """
        while True:
            current, used = self._store.current(), used_runtime()
            if current is None:
                runtime = used or load_runtime(python_component())
                if not self._publish(runtime, None):
                    continue
            elif used is not None and used.sha256 != current.sha256:
                raise RuntimeReplaced(
                    f"the service's runtime is now {current.runtime_id}, this process has {used.id} and ends"
                )
            else:
                runtime = used or self._loaded(current)
            if used is None:
                use_runtime(runtime)
            return runtime

    def replace(self) -> PublishedRuntime | None:
        """Make this installation's build the service's runtime, and return the one before. Workers finish
        their groups in that.
        """
        runtime = load_runtime(python_component())
        while True:
            before = self._store.current()
            if self._publish(runtime, before):
                return before

    def current(self) -> PublishedRuntime | None:
        """Return the service's runtime."""
        return self._store.current()

    def _publish(self, runtime: Runtime, expected: PublishedRuntime | None) -> bool:
        wasm = runtime.component.read_bytes()
        new = PublishedRuntime(python_recipe(), runtime.sha256, len(wasm), runtime.id, self._now_ms())
        done = self._store.publish(new, wasm, expected)
        if done:
            log.info("the service's runtime is %s", runtime.id, extra={"sha256": runtime.sha256})
        return done

    def _loaded(self, current: PublishedRuntime) -> Runtime:
        if current.recipe != python_recipe():
            raise OtherRuntime(
                f"the service runs uploaded bots in {current.runtime_id}, which is of another release",
                expected="workers of that release, or 'botequim ops runtime --replace' with this one",
            )
        runtime = load_runtime(self._component(current))
        if runtime.id != current.runtime_id:
            raise OtherRuntime(
                f"the service runs uploaded bots in {current.runtime_id}, this host in {runtime.id}",
                expected="the same version of wasmtime on all hosts, and one where its fast engine runs",
            )
        return runtime

    def _component(self, current: PublishedRuntime) -> Path:
        def fetch(path: Path) -> None:
            wasm = self._store.file(current)
            if wasm is None or hashlib.sha256(wasm).hexdigest() != current.sha256:
                raise OtherRuntime(
                    f"the database's file of {current.runtime_id} does not have the SHA-256 {current.sha256}",
                    expected="'botequim ops runtime --replace' on a host of the service",
                )
            path.write_bytes(wasm)

        own = cache_folder() / component_name()
        if own.exists() and digest_of(own) == current.sha256:
            return python_component()
        path = cached(f"{own.stem}-{current.sha256[:16]}.wasm", fetch)
        if digest_of(path) != current.sha256:
            raise OtherRuntime(
                f"{path} was changed: it does not have the SHA-256 {current.sha256}",
                expected="to find out who changed it, and then to delete it so that it is fetched again",
            )
        return path
