"""Forms for new bots and new versions, and the outcome of an upload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final, NamedTuple

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.downloads import starter_text
from api.http.edge import SMALL_BODY
from api.http.requests import load
from api.http.sessions import client_address, signed_in
from api.pages.coming import following, now_ms
from api.pages.fields import (
    Control,
    Words,
    body_of,
    controls,
    filled,
    of_form,
    status_of,
    with_error,
)
from api.pages.qualifying import BEGINS_MS, ShownQualifications, shown_qualifications
from api.pages.site import blueprint, form, page
from api.schemas.accounts import NewBotSchema, NewVersionSchema
from api.services import services
from arena.accounts.accounts import BotNotFound, NameTaken, Principal
from arena.accounts.records import NOT_AT_FIRST, BotSettings
from arena.accounts.rights import check_owner, check_upload
from arena.accounts.uploads import FIELDS, InvalidSource
from arena.accounts.versions import BotAccount
from arena.bots.transports import TRANSPORTS, UPLOADED, transport_of
from arena.declarations import settings_of
from arena.errors import ArenaError
from arena.events.qualification import Discipline
from arena.events.trial_games import AGAINST
from arena.games import GAMES
from arena.play.board_names import BoardName
from arena.sandbox.limits import DEFAULT_LIMITS, MODULE_MAGIC
from arena.tournaments.outlook import BoardStanding, Outlook

_MOST: Final = DEFAULT_LIMITS.module_bytes + DEFAULT_LIMITS.source_bytes + SMALL_BODY

_WAYS: Final = {"uploaded": "Uploaded file", "remote": "Runs elsewhere", "webhook": "Webhook"}
"""The names of the transports on pages."""

_WORDS: Final = Words(
    labels={
        "version": "Version",
        "label": "Version",
        "url": "URL",
        "rights": "Post optional turns too",
        "secret": "Your signing secret",
        "source": "Source text",
    },
    helps={
        "source": "Python; or choose a file below.",
        "secret": "If empty, a secret is generated and shown once.",
        "rights": "Toepen: knocking out of turn.",
        "url": "Turns are posted to this URL. It must answer a ping first.",
        "name": "3 to 32 of a-z, 0-9 and, inside, hyphens, beginning with a letter. Nobody else can ever "
        "use this name.",
    },
    choices={"tournaments": {"": "by default: uploaded bots do, other bots if they say so"}},
)
STARTER_FILE: Final = "my_bot.py"
_STARTER_HELP: Final = "Python. This bot works: change it, or choose a file, which replaces it."
_FILE: Final = Control(
    "file",
    "File",
    "file",
    help=f"Python (.py) or JavaScript (.js), at most {DEFAULT_LIMITS.source_bytes >> 20} MB; or WebAssembly "
    f"(.wasm), at most {DEFAULT_LIMITS.module_bytes >> 20} MB.",
)


def _controls(schema: NewBotSchema | NewVersionSchema, first: tuple[str, ...], way: str) -> list[Control]:
    """Return the controls for a transport. ``first`` names the controls that all transports have."""
    transport = transport_of(way)
    found = controls(schema, first, _WORDS)
    if transport.takes_upload:
        (source,) = controls(schema, ("source",), _WORDS)
        return [*found, _FILE, replace(source, kind="area")]
    if transport.needs_url:
        found += controls(schema, ("url", "rights", "secret"), _WORDS)
    return [replace(one, kind="secret") if one.name == "secret" else one for one in found]


def _bot_controls(way: str) -> list[Control]:
    names = ("name", "version", *(one for one in settings_of(BotSettings) if one not in NOT_AT_FIRST))
    found = _controls(NewBotSchema(), names, way)
    return [replace(one, value="1", required=True) if one.name == "version" else one for one in found]


def _version_controls(bot: BotAccount, way: str) -> list[Control]:
    has_secret = bool(services().accounts.signing_secrets(bot.name))
    found = _controls(NewVersionSchema(), ("label",), way)
    return [one for one in found if one.name != "secret" or not has_secret]


def _way() -> str:
    """Return the transport named in the query or the form."""
    way: str = request.values.get("transport", UPLOADED.name)
    return transport_of(way).name


def is_starter(source: str) -> bool:
    """Return whether the text is that of an unchanged starter."""
    lines = source.splitlines()
    return any(lines == starter_text("python", kind, STARTER_FILE).splitlines() for kind in GAMES)


def _sent_upload(body: dict[str, object]) -> Mapping[str, object]:
    """Return the submitted file or text under the name of its field. Raises :class:`InvalidSource`."""
    file = request.files.get("file")
    pasted = body.pop("source", None)
    if file is not None and file.filename and is_starter(str(pasted)):
        # The file replaces the starter, which was in the form before.
        pasted = None
    if file is None or not file.filename:
        if pasted is None:
            raise InvalidSource(
                "no file or source text was sent", field="file", expected="a file or its text"
            )
        return {"source": pasted}
    if pasted is not None:
        raise InvalidSource(
            "send either a file or source text, not both",
            field="file",
            expected="either a file or source text",
        )
    data = file.read()
    if data.startswith(MODULE_MAGIC) or file.filename.endswith(".wasm"):
        return {"module": data}
    return {"javascript" if file.filename.endswith(".js") else "source": data}


def _read(schema: NewBotSchema | NewVersionSchema, found: list[Control], way: str) -> dict[str, object]:
    """Build the request body from the form."""
    body = {**body_of(found), "transport": way}
    upload = _sent_upload(body) if transport_of(way).takes_upload else {}
    loaded: dict[str, Any] = load(schema, body)
    return {**loaded, **upload}


def _refused(found: list[Control], error: ArenaError | None) -> tuple[list[Control], ArenaError | None]:
    if error is not None and error.field in FIELDS.values() and not request.form.get("source"):
        error.field = "file"
    return with_error(found, error)


# New bots


@blueprint.get("/account/bots/new")
def new_bot_page() -> Response:
    """Show a form for a new bot, with the source that the visitor pasted before signing up, if any."""
    signed_in()
    pasted = request.args.get("pasted", "")
    if not pasted:
        way = _way()
        if transport_of(way).takes_upload:
            return new_bot_of(starter_text("python", next(iter(GAMES)), STARTER_FILE))
        return _form_page(None, way, _bot_controls(way))
    kept = services().trial_games.find(pasted)
    if kept is None:
        gone = InvalidSource("the pasted bot has expired", expected="to paste it again")
        return _form_page(None, UPLOADED.name, _bot_controls(UPLOADED.name), gone)
    return new_bot_of(kept.source)


def new_bot_of(source: str) -> Response:
    """Show a form for a new bot with this source."""
    found = [
        replace(one, value=source, help=_STARTER_HELP if is_starter(source) else one.help)
        if one.name == "source"
        else one
        for one in _bot_controls(UPLOADED.name)
    ]
    return _form_page(None, UPLOADED.name, found)


def _form_page(
    bot: BotAccount | None, way: str, found: list[Control], error: ArenaError | None = None
) -> Response:
    """Show the form for a new version of a bot, or for a new bot (None)."""
    found, error = _refused(found, error)
    return page(
        "new_bot.html",
        status_of(error),
        bot=bot,
        way=way,
        ways=_WAYS,
        controls=found,
        against=AGAINST,
        error=error,
    )


@form("/account/bots/new", most=_MOST)
def submit_bot() -> ResponseReturnValue:
    """Register a bot."""
    who, way = signed_in(), _way()
    found = filled(_bot_controls(way), request.form.getlist)
    try:
        body = _read(NewBotSchema(), found, way)
        digest = _digest(body)
        services().limits.spend("bots_per_owner", who.owner)
        address = services().payers.of_address(client_address())
        made = services().registration.register(who, body, address)
    except NameTaken as error:
        again = _sent_before(who, found[0].value, digest)
        return redirect(again, 303) if again else _form_page(None, way, found, error)
    except ArenaError as error:
        return _form_page(None, way, found, of_form(error))
    if made.upload is not None:
        return redirect(url_for("pages.upload_page", bot=made.bot.name, upload=made.upload.id), 303)
    secrets = {"Token of the bot": made.token}
    if made.webhook_secret:
        secrets["Signing secret"] = made.webhook_secret
    return page("secrets.html", bot=made.bot.name, secrets=secrets, title=f"{made.bot.name} is registered")


def _digest(body: dict[str, Any]) -> str | None:
    data = next((body[field] for field in FIELDS.values() if field in body), None)
    if data is None:
        return None
    return sha256(data if isinstance(data, bytes) else data.encode("utf-8", "replace")).hexdigest()


def _sent_before(who: Principal, name: str, digest: str | None) -> str | None:
    """Return the URL of the bot if the same form has already been sent."""
    try:
        bot = services().accounts.bot(name)
    except BotNotFound:
        return None
    if digest is None or who.owner not in bot.owners:
        return None
    for upload in services().uploads.unsettled(name):
        if upload.digest == digest:
            return url_for("pages.upload_page", bot=name, upload=upload.id)
    has_it = any(version.digest == digest for version in bot.versions)
    return url_for("pages.bot_log", bot=name) if has_it else None


# New versions


@blueprint.get("/bots/<bot>/versions/new")
def new_version_page(bot: str) -> Response:
    """Show a form for a new version of one of the owner's bots."""
    account = check_owner(services().accounts, signed_in(), bot, shared=True)
    current = next((one.transport for one in account.versions if one.label == account.version), None)
    way = _way() if "transport" in request.args or current not in TRANSPORTS else str(current)
    return _form_page(account, way, _version_controls(account, way))


@form("/bots/<bot>/versions/new", most=_MOST)
def submit_version(bot: str) -> ResponseReturnValue:
    """Add a version of one of the owner's bots."""
    who, way = signed_in(), _way()
    account = check_owner(services().accounts, who, bot, shared=True)
    found = filled(_version_controls(account, way), request.form.getlist)
    try:
        body = _read(NewVersionSchema(), found, way)
        services().limits.spend("uploads_per_owner", who.owner)
        made = services().registration.add_version(who, bot, body)
    except ArenaError as error:
        return _form_page(account, way, found, of_form(error))
    if made.upload is not None:
        return redirect(url_for("pages.upload_page", bot=bot, upload=made.upload.id), 303)
    if made.webhook_secret:
        title = f"{bot} has a webhook"
        return page("secrets.html", bot=bot, secrets={"Signing secret": made.webhook_secret}, title=title)
    return redirect(url_for("pages.bot_settings", bot=bot), 303)


# Uploads


@blueprint.get("/bots/<bot>/uploads/<upload>")
def upload_page(bot: str, upload: str) -> Response:
    """Show the outcome of an upload. The page reloads itself during the checks and the qualification."""
    who = signed_in()
    found = services().uploads.find(bot, upload)
    check_upload(services().accounts, who, found)
    view = services().tournaments.upload_view(found)
    qualifications = shown_qualifications(who, view["qualifications"], found.received_ms, found.games)
    busy = not found.is_settled or (found.state == "added" and qualifications.is_busy)
    comes = _what_comes(bot, view["label"], qualifications) if found.state == "added" else []
    is_recent = now_ms() < found.received_ms + BEGINS_MS
    return page(
        "upload.html",
        bot=bot,
        is_registered=_is_registered(bot),
        one=view,
        qualifications=qualifications,
        busy=busy,
        comes=comes,
        follows=busy or (is_recent and any(one.outlook.state in ("plays", "waits") for one in comes)),
    )


class _Comes(NamedTuple):
    """The next step of a version in a game."""

    title: str
    board: BoardName
    standing: BoardStanding | None
    outlook: Outlook


def _what_comes(bot: str, version: str, qualifications: ShownQualifications) -> list[_Comes]:
    """Return the next steps in the games for which the current version of a bot that takes part in
    tournaments has qualified.
    """
    account = services().accounts.bot(bot) if _is_registered(bot) else None
    if account is None or account.version != version or not account.takes_part:
        return []
    return [
        _Comes(one["title"], *following(Discipline(one["kind"], one["preset"]), bot, version))
        for one in qualifications.rows
        if one["state"] == "qualified"
    ]


def _is_registered(bot: str) -> bool:
    try:
        services().accounts.bot(bot)
    except BotNotFound:
        return False
    return True
