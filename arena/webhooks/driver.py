"""Plays the games of all webhook bots: posts each turn, and submits the reply as its answer.

A driver has no state outside the store, so it can be killed at any time, and several drivers can run at once.
A lease per turn prevents them from posting a turn at the same time, and a repeated answer counts once.
"""

from __future__ import annotations

import heapq
import logging
import queue
import random
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from arena.accounts.accounts import Accounts, BotNotFound
from arena.accounts.versions import Version
from arena.errors import CorruptState
from arena.live.header import GameNotFound, Viewer
from arena.live.service import LiveGames
from arena.store.connection import StoreUnavailable
from arena.store.liveness import Signs
from arena.store.notifications import Subscription, right_topic, turn_topic
from arena.store.webhooks import DONE_MS, LEASE_MS, PASSED_MS, WebhookStore
from arena.webhook_messages.content import NO_ACTION, PASS, Turn, action_in, turn_message
from arena.webhook_messages.errors import CallFailed, NotConnected, ReplyTooLarge, ResolversBusy
from arena.webhook_messages.signing import headers
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Connect, Endpoint

POSTS: Final = 256
"""The maximum number of concurrent posts by a driver."""

POSTS_PER_BOT: Final = 8
POSTS_PER_OWNER: Final = 64

POST_SECONDS: Final = 30.0
"""The maximum duration of a post, if the game's clock allows more."""

REFRESH_SECONDS: Final = 1.0
"""The seconds between two reads of the list of webhook bots."""

CHECK_SECONDS: Final = 5.0
"""The seconds between two checks of all bots, even without notifications."""

RENEW_SECONDS: Final = LEASE_MS / 4000
FIRST_BACKOFF: Final = 0.25
LONGEST_BACKOFF: Final = 8.0
"""The seconds before a failed post is retried: the delay doubles each time, minus jitter of up to half."""

_ACCOUNT_SECONDS: Final = 2.0
_TURNS_AT_ONCE: Final = 100
_GAMES_KEPT: Final = 20_000

log = logging.getLogger(__name__)


@dataclass
class _Post:
    """A turn to post. ``until`` is when its clock runs out, and ``due`` the earliest time to post it
    (monotonic).
    """

    turn: Turn
    until: float
    version: str = ""
    due: float = 0.0
    failures: int = 0
    answered: bool = False

    @property
    def delivery(self) -> str:
        """A key that changes when there are new events, so that an optional turn is delivered again."""
        events = self.turn["events"]
        news = f"/{events[-1]['n']}" if self.turn["optional"] and events else ""
        return str(self.turn["turn"]) + news


@dataclass
class _Hook:
    """The driver's view of one webhook bot."""

    bot: str
    owner: str = ""
    cursor: str | None = None
    waiting: dict[str, _Post] = field(default_factory=dict)
    posting: set[str] = field(default_factory=set)
    versions: dict[str, Version] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    read: float = float("-inf")
    troubled: bool = False
    open_until: float = 0.0
    next_call: float = float("inf")


class _Retry(Exception):
    """Raised if a post failed and must be retried after ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class _Signal(Subscription):
    """Calls a function when a bot has a turn."""

    __slots__ = ("_notify",)

    def __init__(self, live: LiveGames, bot: str, notify: Callable[[str], None]) -> None:
        keys = (turn_topic(bot), right_topic(bot))
        super().__init__(live.notifier, keys)
        self._notify: Callable[[], None] = lambda: notify(bot)

    def wake(self) -> None:
        """See :meth:`arena.store.notifications.Subscription.wake`."""
        self._notify()


class Driver:
    """Posts the turns of all webhook bots until it is stopped. ``connect`` creates the endpoint of a URL."""

    def __init__(
        self,
        live: LiveGames,
        accounts: Accounts,
        store: WebhookStore,
        policy: Policy,
        signs: Signs,
        *,
        posts: int = POSTS,
        connect: Connect = Endpoint,
    ) -> None:
        self._live = live
        self._accounts = accounts
        self._store = store
        self._policy = policy
        self._signs = signs
        self._posts = posts
        self._connect = connect
        self._name = secrets.token_hex(8)
        self._hooks: dict[str, _Hook] = {}
        self._signals: dict[str, _Signal] = {}
        self._seats: dict[str, list[str]] = {}
        self._busy: Counter[str] = Counter()
        self._held: dict[tuple[str, str], None] = {}
        self._later: list[tuple[float, str]] = []
        self._notified: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[_Hook, _Post, float | None]] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[tuple[_Hook, _Post, Endpoint]] = queue.SimpleQueue()
        self._threads = 0
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Make :meth:`run` return. Other threads can call this."""
        self._stopped.set()
        self._notified.put(None)

    def run(self) -> None:
        """Run until :meth:`stop` is called. Another driver then repeats the posts that were in progress."""
        self._live.notifier.start()
        keeper = threading.Thread(target=self._keep_leases, name="leases", daemon=True)
        keeper.start()
        refresh = check = float("-inf")
        try:
            while not self._stopped.is_set():
                try:
                    now = time.monotonic()
                    if now >= refresh:
                        refresh = now + REFRESH_SECONDS
                        self._refresh()
                    full = now >= check
                    if full:
                        check = now + CHECK_SECONDS
                        self._signs.give("webhooks")
                        self._read_circuits()
                    called = self._called()
                    for bot in list(self._hooks) if full else called:
                        if (hook := self._hooks.get(bot)) is not None:
                            self._check(hook, full)
                except StoreUnavailable as error:
                    log.warning("%s", error)
                    self._stopped.wait(0.5)
                self._wait(min(refresh, check))
        finally:
            self._stopped.set()
            for held in list(self._held):
                with suppress(StoreUnavailable):
                    self._store.release(*held)
            for bot in list(self._hooks):
                self._drop(bot)

    # Which bots

    def _refresh(self) -> None:
        """Add new webhook bots and drop removed ones."""
        names = set(self._accounts.webhooks())
        for bot in self._hooks.keys() - names:
            self._drop(bot)
        for bot in names - self._hooks.keys():
            self._hooks[bot] = _Hook(bot)
            self._signals[bot] = signal = _Signal(self._live, bot, self._notified.put)
            signal.__enter__()
            self._notified.put(bot)

    def _drop(self, bot: str) -> None:
        self._signals.pop(bot).__exit__()
        for endpoint in self._hooks.pop(bot).endpoints.values():
            endpoint.close()

    def _read_circuits(self) -> None:
        """Read which circuits are open, since another driver can have opened or closed them."""
        hooks = list(self._hooks.values())
        now_ms = self._live.store.clock().now_ms
        found = self._store.circuits([hook.bot for hook in hooks], now_ms)
        for hook, circuit in zip(hooks, found, strict=True):
            hook.troubled = circuit.failures > 0
            left_ms = (circuit.open_until_ms or 0) - now_ms
            hook.open_until = time.monotonic() + left_ms / 1000 if left_ms > 0 else 0.0
            for endpoint in hook.endpoints.values():
                endpoint.tidy()

    # When

    def _called(self) -> list[str]:
        """Return the bots that must be checked now."""
        called: dict[str, None] = {}
        while not self._notified.empty():
            if (bot := self._notified.get()) is not None:
                called[bot] = None
        while self._later and self._later[0][0] <= time.monotonic():
            bot = heapq.heappop(self._later)[1]
            called[bot] = None
            if bot in self._hooks:
                self._hooks[bot].next_call = float("inf")
        scarce = False
        while not self._done.empty():
            hook, post, pause = self._done.get()
            owner = f"owner {hook.owner}"
            scarce = scarce or self._busy[""] >= self._posts or self._busy[owner] >= POSTS_PER_OWNER
            self._busy.subtract((hook.bot, owner, ""))
            number = str(post.turn["turn"])
            hook.posting.discard(number)
            if post.answered:
                hook.waiting.pop(number, None)
            elif pause is not None:
                newer = hook.waiting.setdefault(number, post)
                newer.due, newer.failures = time.monotonic() + pause, post.failures
            called[hook.bot] = None
        if scarce:
            # Bots that were waiting for a free post come before those that had one.
            waited = [hook.bot for hook in self._hooks.values() if hook.waiting and hook.bot not in called]
            return [*waited, *called]
        return list(called)

    def _call_later(self, hook: _Hook, at: float) -> None:
        if at < hook.next_call:
            hook.next_call = at
            heapq.heappush(self._later, (at, hook.bot))

    def _wait(self, until: float) -> None:
        if self._later:
            until = min(until, self._later[0][0])
        left = until - time.monotonic()
        if left > 0 and self._done.empty():
            try:
                self._notified.put(self._notified.get(timeout=left))
            except queue.Empty:
                return

    # What

    def _check(self, hook: _Hook, full: bool) -> None:
        """Read the bot's new turns (with ``full``, all pending ones) and start posting them."""
        if time.monotonic() < hook.open_until:
            self._call_later(hook, hook.open_until)
            return
        if hook.open_until:
            # Turns were not read while the circuit was open.
            hook.open_until, full = 0.0, True
        cursor = None if full else hook.cursor
        rights = not hook.versions or any(version.rights for version in hook.versions.values())
        while True:
            page = self._live.exchange(hook.bot, (), cursor, rights=rights, limit=_TURNS_AT_ONCE)
            cursor = page.cursor
            now = time.monotonic()
            for turn in page.turns:
                self._put(hook, turn, now)
            if len(page.turns) < _TURNS_AT_ONCE:
                break
        hook.cursor = cursor
        if hook.waiting:
            self._start(hook)

    def _put(self, hook: _Hook, turn: Turn, now: float) -> None:
        left_ms = float("inf") if turn["deadline_ms"] is None else turn["deadline_ms"] + turn["bank_ms"]
        known = hook.waiting.get(turn["turn"])
        post = _Post(turn, now + left_ms / 1000)
        if known is not None:
            post.due, post.failures = known.due, known.failures
        hook.waiting[turn["turn"]] = post

    def _start(self, hook: _Hook) -> None:
        """Start as many posts as the limits allow, oldest turn first."""
        now = time.monotonic()
        if now - hook.read > _ACCOUNT_SECONDS and not self._read(hook):
            hook.waiting.clear()
            return
        most = 1 if hook.troubled else POSTS_PER_BOT
        owner = f"owner {hook.owner}"
        for number, post in list(hook.waiting.items()):
            if (
                self._busy[hook.bot] >= most
                or self._busy[owner] >= POSTS_PER_OWNER
                or self._busy[""] >= self._posts
            ):
                return
            if post.until <= now:
                del hook.waiting[number]
                continue
            if number in hook.posting:
                continue
            if post.due > now:
                self._call_later(hook, post.due)
                continue
            del hook.waiting[number]
            version = self._version(hook, post.turn)
            if version is None or not version.url or (post.turn["optional"] and not version.rights):
                continue
            post.version = version.label
            endpoint = self._endpoint(hook, version.url)
            hook.posting.add(number)
            self._busy.update((hook.bot, owner, ""))
            if self._busy[""] > self._threads:
                self._threads += 1
                # Daemons: a receiver that hangs must not keep the process alive.
                threading.Thread(target=self._deliver_all, name="post", daemon=True).start()
            self._work.put((hook, post, endpoint))

    def _read(self, hook: _Hook) -> bool:
        """Read the bot's account. Return False if it was deleted, cannot be read, has no secret, or is not
        called because its owner is suspended.
        """
        try:
            bot = self._accounts.bot(hook.bot)
            hook.secrets = self._accounts.signing_secrets(hook.bot)
        except BotNotFound:
            return False
        except CorruptState:
            log.exception("bot %s", hook.bot)
            return False
        if bot.owner_suspended:
            return False
        hook.owner = bot.owner
        hook.versions = {version.label: version for version in bot.versions}
        hook.read = time.monotonic()
        return bool(hook.secrets)

    def _version(self, hook: _Hook, turn: Turn) -> Version | None:
        """Return the version on the seat of the turn. A bot's versions can have different URLs."""
        game, seat = str(turn["game"]), int(turn["seat"])
        if game not in self._seats:
            if len(self._seats) >= _GAMES_KEPT:
                self._seats.clear()
            try:
                seats = self._live.summary(game, Viewer(hook.bot))["seats"]
            except (GameNotFound, CorruptState):
                return None
            self._seats[game] = [str(entry["version"]) for entry in seats]
        label = self._seats[game][seat]
        if label not in hook.versions:
            # The version is newer than the last read of the account.
            self._read(hook)
        return hook.versions.get(label)

    def _endpoint(self, hook: _Hook, url: str) -> Endpoint:
        if url not in hook.endpoints:
            hook.endpoints[url] = self._connect(url, self._policy, hook.owner)
        return hook.endpoints[url]

    # Posting, in separate threads

    def _deliver_all(self) -> None:
        while True:
            self._deliver(*self._work.get())

    def _deliver(self, hook: _Hook, post: _Post, endpoint: Endpoint) -> None:
        """Post a turn, repeatedly if its answers are refused, until it is answered or the post fails."""
        pause: float | None = None
        held = (hook.bot, post.delivery)
        try:
            begun = self._store.begin(*held, self._name, self._live.store.clock().now_ms)
            if begun.status == "go":
                self._held[held] = None
                self._play(hook, post, endpoint)
            elif begun.status != "done":
                pause = begun.wait_ms / 1000
        except _Retry as retry:
            pause = retry.seconds
        except StoreUnavailable as error:
            log.warning("turn %s: %s", post.turn["turn"], error, extra={"bot": hook.bot})
            pause = 1.0
        except Exception:
            log.exception("turn %s cannot be posted", post.turn["turn"], extra={"bot": hook.bot})
            pause = LONGEST_BACKOFF
        finally:
            self._held.pop(held, None)
            self._done.put((hook, post, pause))
            self._notified.put(hook.bot)

    def _play(self, hook: _Hook, post: _Post, endpoint: Endpoint) -> None:
        """Post the turn, whose lease this driver holds, and submit the reply as its answer. Raises
        :class:`_Retry`.
        """
        refused: dict[str, Any] | None = None
        while (left := min(post.until - time.monotonic(), POST_SECONDS)) > 0 and not self._stopped.is_set():
            try:
                action = self._post(hook, post, endpoint, left, refused)
            except _Retry:
                self._store.release(hook.bot, post.delivery)
                raise
            if action is PASS:
                self._store.finish(hook.bot, post.delivery, PASSED_MS)
                return
            (result,) = self._live.answer(hook.bot, [{"turn": post.turn["turn"], "action": action}])
            if (
                result.get("forfeited") is not False
            ):  # Only the result of a fault that leaves the turn open has this value.
                post.answered = True
                self._store.finish(hook.bot, post.delivery, DONE_MS)
                return
            refused = result
        self._store.release(hook.bot, post.delivery)

    def _post(
        self,
        hook: _Hook,
        post: _Post,
        endpoint: Endpoint,
        seconds: float,
        refused: Mapping[str, object] | None,
    ) -> object:
        """Post once and return the action in the reply, which can be malformed. Raises :class:`_Retry`."""
        left_ms = int(min(1000 * (post.until - time.monotonic()), 2**53))
        body = turn_message(post.turn, left_ms, refused)
        try:
            reply = endpoint.post(body, headers(hook.secrets, body), seconds)
        except ReplyTooLarge as error:
            # The webhook did reply, so this counts as its answer.
            self._store.replied(hook.bot, post.version, self._live.store.clock().now_ms, error.message)
            return None
        except ResolversBusy:
            raise _Retry(random.uniform(0.5, 1.0)) from None
        except CallFailed as error:
            raise _Retry(self._failed(hook, post, error)) from None
        hook.troubled = False
        action = action_in(reply, bool(post.turn["optional"]))
        wrong = "" if action is PASS or isinstance(action, str) else NO_ACTION
        self._store.replied(hook.bot, post.version, self._live.store.clock().now_ms, wrong)
        return action

    def _failed(self, hook: _Hook, post: _Post, error: CallFailed) -> float:
        """Record a failure, and return the seconds until the next attempt."""
        hook.troubled = True
        post.failures += 1
        now_ms = self._live.store.clock().now_ms
        connected: bool | None = not isinstance(error, NotConnected)
        if not connected and time.monotonic() >= post.until:
            # The turn's clock ended the attempt, so it does not show whether the webhook can be reached.
            connected = None
        until_ms = self._store.failed(
            hook.bot, post.version, now_ms, secrets.token_hex(8), error.message, connected
        )
        if until_ms is not None and until_ms > now_ms:
            pause = (until_ms - now_ms) / 1000
            hook.open_until = time.monotonic() + pause
            return pause
        longest = FIRST_BACKOFF * 2.0 ** (post.failures - 1)
        return min(longest, LONGEST_BACKOFF) * random.uniform(0.5, 1.0)

    def _keep_leases(self) -> None:
        while not self._stopped.wait(RENEW_SECONDS):
            try:
                self._store.renew(list(self._held))
            except StoreUnavailable as error:
                log.warning("%s", error)
