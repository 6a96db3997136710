"""Bots: registration, changes, versions, logs and tokens."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, RECORD_ERRORS, UNSEATABLE, Operation

FILES = {"source": "text/x-python", "component": "application/wasm"}
"""Fields that may be sent as a file in place of JSON, with the media types."""

_OF_UPLOADS = ("invalid_source", "compile_failed", "load_failed", "upload_not_checked", "upload_not_found")
_OF_WEBHOOKS = ("invalid_webhook_url", "invalid_webhook_secret", "webhook_address", "webhook_failed")

register_bot = Operation(
    "POST",
    "/v1/bots",
    """
    Register a bot

    Returns the bot's token, which is shown only once. Names are unique forever: the name of a deleted bot
    stays taken. The service first sends a webhook a signed ping; if it does not answer, the bot is not
    registered. An upload may also be sent as a file in place of JSON.

    An upload is compiled and loaded before it becomes the bot's first version. The request waits up to 10
    seconds for that; then the response is 202, and `Location` is where the upload can be read. If it is
    refused, the bot is not registered, and its name is free again.
    """,
    scopes=("owner",),
    status=201,
    secret=("token",),
    rotate="/v1/bots/{name}/token",
    errors=(
        "name_taken",
        "quota_exceeded",
        "invalid_name",
        *_OF_WEBHOOKS,
        *_OF_UPLOADS,
        "version_exists",
        "bot_not_found",
    ),
    limit="bots_per_owner",
    has_body=True,
    files=FILES,
    by_hand=True,
    arguments=("name",),
)

list_bots = Operation(
    "GET",
    "/v1/bots",
    """
    List bots by name

    Lists all bots, or those of one owner or co-owner, including withdrawn ones.
    """,
    scopes=(),
    pages=("bots",),
    client="bots",
)

get_bot = Operation(
    "GET",
    "/v1/bots/{bot}",
    """
    Get a bot and its versions

    Its owners and admins also see the state of its webhook, if it has one, and whether it is suspended.
    """,
    scopes=(),
    errors=("bot_not_found",),
    client="bot",
)

list_bot_games = Operation(
    "GET",
    "/v1/bots/{bot}/games",
    """
    List the last games of a bot, newest first

    Lists games of tournaments that the arena played itself, of the bot's last 100 groups that are over, and
    its last 100 games over HTTP; private ones for those who can see them. Also for house bots.
    """,
    scopes=(),
    errors=("bot_not_found", *ARCHIVED),
    client="bot_games",
    result="games",
)

change_bot = Operation(
    "PATCH",
    "/v1/bots/{bot}",
    """
    Change a bot

    Changes its state, its description, whether it takes part in scheduled tournaments, whether people may
    play with it, whether its decisions may be in data sets, or which language model it is. A withdrawn bot
    gets no new games but finishes its current ones. Omitted fields keep their values.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found",),
    has_body=True,
)

delete_bot = Operation(
    "DELETE",
    "/v1/bots/{bot}",
    """
    Delete a bot

    It leaves its tournaments and resigns its games. Its versions, sources, logs and notes are erased, its
    token expires within five seconds, and its name stays taken. A bot that has played a rated group stays
    listed with its results: the response is the bot, withdrawn for good. If a deletion was interrupted, the
    next one continues it.
    """,
    scopes=("owner", "admin"),
    also={204: "The bot, which has played no rated group, is removed."},
    errors=("bot_not_found",),
)

add_version = Operation(
    "POST",
    "/v1/bots/{bot}/versions",
    """
    Add a version of a bot

    Versions never change. New games use the newest version, and each version is rated separately. The
    service first sends a webhook a signed ping; if it does not answer, the version is not added. An upload
    may also be sent as a file in place of JSON. Co-owners can add versions, but none with a webhook.

    An upload is compiled and loaded before it becomes a version. The request waits up to 10 seconds for that;
    then the response is 202, and `Location` is where the upload can be read. It takes its label and counts in
    the quotas from the start; if it is refused, it frees both.

    The same bytes are the same version: if the bot has the upload already, no version is added. The response
    is 200 with that version, under its own label and with `added` false, and new games use it.
    """,
    scopes=("owner",),
    status=201,
    also={200: "The bot has this version already; it was made the current one."},
    secret=("webhook_secret",),
    rotate="/v1/bots/{bot}/webhook/secret",
    errors=(
        "bot_not_found",
        "version_exists",
        "quota_exceeded",
        "invalid_name",
        *_OF_WEBHOOKS,
        *_OF_UPLOADS,
    ),
    limit="uploads_per_owner",
    has_body=True,
    files=FILES,
    by_hand=True,
    arguments=("label",),
)

list_uploads = Operation(
    "GET",
    "/v1/bots/{bot}/uploads",
    """
    List the uploads of a bot that are being checked

    Oldest first. An upload that is a version or refused is not listed.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found",),
    client="uploads",
    result="uploads",
)

get_upload = Operation(
    "GET",
    "/v1/bots/{bot}/uploads/{upload}",
    """
    Get an upload

    Returns what became of an upload, for a week after that is known. With `wait` it is a long poll, which
    returns as soon as the upload is a version or refused. An upload that no worker has checked within a day
    is refused. A version qualifies by itself in the games that it plays, but not for presets;
    `qualifications` shows how that goes.
    """,
    scopes=("owner", "admin"),
    errors=("upload_not_found",),
    client="upload",
)

publish_version = Operation(
    "PATCH",
    "/v1/bots/{bot}/versions/{version}",
    """
    Publish or hide the source of an uploaded version

    With `published` true the source is public; with `published` false only the owner and admins can read
    it.
    """,
    scopes=("owner",),
    errors=("bot_not_found", "version_not_found", "no_source"),
    has_body=True,
    arguments=("published",),
    defaults={"published": True},
)

get_source = Operation(
    "GET",
    "/v1/bots/{bot}/versions/{version}/source",
    """
    Get the source of an uploaded version

    Available to the bot's owner and admins, and to everyone once it is published.
    """,
    scopes=(),
    errors=("forbidden", "bot_not_found", "version_not_found", "no_source"),
    client="source",
)

qualify = Operation(
    "POST",
    "/v1/bots/{bot}/versions/{version}/qualifications",
    """
    Start the qualification of a version

    The version plays a group against the house bot `rookie`, by the rules of the game or of a `preset` for
    which bots qualify separately. A bot with the transport `remote` or `webhook` must be running. A version
    that names its `games` qualifies in these only.
    """,
    scopes=("owner",),
    keyed=True,
    errors=(
        *("bot_not_found", "version_not_found", "preset_not_found", *UNSEATABLE),
        *("game_not_played", "budget_exceeded"),
    ),
    limit="qualifications_per_owner",
    has_body=True,
    arguments=("kind",),
)

list_qualifications = Operation(
    "GET",
    "/v1/bots/{bot}/versions/{version}/qualifications",
    """
    List the qualifications of a version

    If an uploaded bot failed, `detail` contains the error and its line.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found", "version_not_found"),
    client="qualifications",
    result="qualifications",
)

get_log = Operation(
    "GET",
    "/v1/bots/{bot}/games/{game}/log",
    """
    Get the log of an uploaded bot for one game

    The log has the bot's output with tracebacks, the thinking time of each decision, and faults. Logs are
    kept for seven days, and for the last 500 games only.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found", "log_not_found"),
    client="game_log",
)

get_notes = Operation(
    "GET",
    "/v1/bots/{bot}/games/{game}/notes",
    """
    Get the notes of a bot on its moves in a finished game

    Available to the bot's owner, and to everyone who can read the record once they are published. Notes are
    kept for 90 days: at most 64 KiB on a game and 1 MiB of a bot, where the oldest games give way.
    """,
    scopes=(),
    errors=(*RECORD_ERRORS, "notes_not_found"),
    client="notes",
)

publish_notes = Operation(
    "PATCH",
    "/v1/bots/{bot}/games/{game}/notes",
    """
    Publish or hide the notes of a bot on its moves in a finished game

    Only the owner can publish them. An admin can hide what is published.
    """,
    scopes=("owner", "admin"),
    errors=(*RECORD_ERRORS, "bot_not_found", "notes_not_found"),
    has_body=True,
    arguments=("published",),
    defaults={"published": True},
)

replace_webhook_secret = Operation(
    "POST",
    "/v1/bots/{bot}/webhook/secret",
    """
    Replace the signing secret of a webhook

    The new secret is shown only once. For one day, posts are signed with both the old and the new secret.
    """,
    scopes=("owner",),
    status=201,
    secret=("secret",),
    errors=("bot_not_found", "invalid_webhook_secret", "no_webhook"),
    has_body=True,
)

replace_bot_token = Operation(
    "POST",
    "/v1/bots/{bot}/token",
    """
    Replace a bot's token

    The new token is shown only once. The old token expires within five seconds.
    """,
    scopes=("owner",),
    status=201,
    secret=("token",),
    errors=("bot_not_found",),
    result="token",
)

revoke_bot_token = Operation(
    "DELETE",
    "/v1/bots/{bot}/token",
    """
    Revoke a bot's token

    The token expires within five seconds.
    """,
    scopes=("owner", "admin"),
    status=204,
    errors=("bot_not_found",),
)
