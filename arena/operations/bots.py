"""Bots: registration, changes, versions, logs and tokens."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, RECORD_ERRORS, UNSEATABLE, Operation

FILES = {"source": "text/x-python", "javascript": "text/javascript", "module": "application/wasm"}
"""Fields that can be sent as a file instead of JSON, with the media types."""

_OF_UPLOADS = ("invalid_source", "compile_failed", "load_failed", "upload_not_checked", "upload_not_found")
_OF_WEBHOOKS = ("invalid_webhook_url", "invalid_webhook_secret", "webhook_address", "webhook_failed")

register_bot = Operation(
    "POST",
    "/v1/bots",
    """
    Register a bot

    Returns the bot's token, which is shown only once. Names are never reused, even if a bot is deleted. For a
    webhook bot, the service first sends a signed ping; if the webhook does not answer, the bot is not
    registered. An upload can also be sent as a file instead of JSON.

    An upload is compiled and loaded before it becomes the bot's first version. The request waits up to 10
    seconds for this; after that, the response is 202, with the address of the upload in `Location`. If the
    upload is refused, the bot is not registered, and its name becomes available again.
    """,
    scopes=("owner",),
    status=201,
    secret=("token",),
    rotate="/v1/bots/{name}/token",
    errors=(
        "name_taken",
        "quota_exceeded",
        "budget_exceeded",
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

    Lists all bots, or those with a given owner or co-owner. Withdrawn bots are included.
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

    The bot's owners and admins also see the state of its webhook, if any, and whether it is suspended.
    """,
    scopes=(),
    errors=("bot_not_found",),
    client="bot",
)

list_bot_games = Operation(
    "GET",
    "/v1/bots/{bot}/games",
    """
    List the recent games of a bot, newest first

    Lists the games of the bot's last 100 finished groups that the arena played itself, and its last 100 games
    over HTTP. Private games are listed only for those who can see them. Also available for house bots.
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

    Changes the given settings; the others keep their values. A withdrawn bot gets no new games but finishes
    its current ones.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found", "too_many_ranked"),
    has_body=True,
)

delete_bot = Operation(
    "DELETE",
    "/v1/bots/{bot}",
    """
    Delete a bot

    The bot leaves its tournaments and resigns its games. Its versions, sources, logs and notes are erased,
    its token expires within five seconds, and its name remains taken. A bot that has played a rated group
    stays listed with its results, without a rank, and counts as a bot of its owner; the response is then the
    bot, permanently withdrawn. If a deletion was interrupted, repeating it continues it.
    """,
    scopes=("owner", "admin"),
    also={204: "The bot had played no rated group and has been removed."},
    errors=("bot_not_found",),
)

add_version = Operation(
    "POST",
    "/v1/bots/{bot}/versions",
    """
    Add a version of a bot

    Versions never change. New games use the newest version, and each version is rated separately. For a
    webhook bot, the service first sends a signed ping; if the webhook does not answer, the version is not
    added. An upload can also be sent as a file instead of JSON. Co-owners can add versions, except versions
    with a webhook.

    An upload is compiled and loaded before it becomes a version. The request waits up to 10 seconds for this;
    after that, the response is 202, with the address of the upload in `Location`. The upload reserves its
    label and counts towards the quotas at once; if it is refused, both are released.

    If the bot already has a version with the same bytes, no version is added. The response is 200 with the
    existing version, its label, and `added` false, and new games use that version.
    """,
    scopes=("owner",),
    status=201,
    also={200: "The bot already had this version, which is now the current one."},
    secret=("webhook_secret",),
    rotate="/v1/bots/{bot}/webhook/secret",
    errors=(
        "bot_not_found",
        "version_exists",
        "quota_exceeded",
        "budget_exceeded",
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

    Lists the oldest first. Uploads that have become versions or were refused are not listed.
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

    Returns the state of an upload, until a week after its outcome. With `wait`, this is a long poll that
    returns as soon as the upload has become a version or was refused. An upload that no worker checks within
    a day is refused. A version qualifies automatically in the games that it plays, but not for presets;
    `qualifications` shows the progress.
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

    With `published` true, the source is public; with `published` false, only the owner and admins can read
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

    The version plays a group against the house bot `rookie`, under the rules of the game or of a `preset` for
    which bots qualify separately. A bot with the transport `remote` or `webhook` must be running. A version
    that declares its `games` can qualify only in these.
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

    If an uploaded bot failed, `detail` contains the error and its line number.
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

    The log contains the bot's output with tracebacks, the thinking time of each decision, and faults. Logs
    are kept for seven days, and only for the last 500 games.
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

    Available to the bot's owner and, once published, to everyone who can read the record. Notes are kept for
    90 days, up to 64 KiB per game and 1 MiB per bot; beyond that, the notes on the oldest games are removed.
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

    Only the owner can publish them. An admin can hide published notes.
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

    The new secret is shown only once. For one day, messages are signed with both the old and the new secret.
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
