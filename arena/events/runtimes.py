"""The runtime in which all workers of a service run uploaded bots. The first worker to build it publishes the
WebAssembly file; the others fetch this file, check it, and compile it themselves.
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
    """The service's runtime cannot run in this process."""

    code = "other_runtime"


class RuntimeReplaced(ArenaError):
    """The service's runtime was replaced, and this process must restart to use the new one."""

    code = "runtime_replaced"


class Runtimes:
    """The service's runtime in this process. ``is_own``: whether all processes of the service belong to this
    installation, so that they replace the runtime of an earlier installation when they start.
    """

    def __init__(self, store: RuntimeStore, now_ms: Callable[[], int], *, is_own: bool = False) -> None:
        self._store = store
        self._now_ms = now_ms
        self._is_own = is_own

    def check(self) -> None:
        """Check that the process can run the service's runtime, if there is one. Called before the process
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
            log.warning("%s; this installation's runtime will replace it", error.message)
            self._store.retire(current)

    def ready(self) -> Runtime:
        """Return the service's runtime. If there is none, build and publish it first. Raises the errors of
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
                    f"the service's runtime is now {current.runtime_id}; this process has {used.id} and exits"
                )
            else:
                runtime = used or self._loaded(current)
            if used is None:
                use_runtime(runtime)
            return runtime

    def replace(self) -> PublishedRuntime | None:
        """Make this installation's build the service's runtime, and return the previous one, in which workers
        finish their current groups.
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
                f"the service runs uploaded bots in {current.runtime_id}, which is from another release",
                expected="workers of that release, or this release after 'botequim ops runtime --replace'",
            )
        runtime = load_runtime(self._component(current))
        if runtime.id != current.runtime_id:
            raise OtherRuntime(
                f"the service runs uploaded bots in {current.runtime_id}, but this host has {runtime.id}",
                expected="the same wasmtime and QuickJS on all hosts, and hosts that support its fast engine",
            )
        return runtime

    def _component(self, current: PublishedRuntime) -> Path:
        def fetch(path: Path) -> None:
            wasm = self._store.file(current)
            if wasm is None or hashlib.sha256(wasm).hexdigest() != current.sha256:
                raise OtherRuntime(
                    f"the stored file of {current.runtime_id} does not have the SHA-256 {current.sha256}",
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
                expected="the published file; find out who changed it, then delete it to fetch it again",
            )
        return path
