"""``botequim new``: creates a small working bot to start from, with a test."""

from __future__ import annotations

import json
import keyword
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import click

from arena.bots import HOUSE_BOTS, Bot, Turn, bot_spec
from arena.cli.commands import Command
from arena.cli.languages import LANGUAGE_TABLE
from arena.cli.output import json_option, show
from arena.cli.params import KIND
from arena.errors import ArenaError
from arena.games import GAMES, game_of
from arena.play.dealing import bot_seed
from arena.play.match import play
from arena.play.table import Table

LANGUAGES: Final = tuple(language.name for language in LANGUAGE_TABLE)

_ENDING: Final = ".tmpl"
_STARTERS: Final = "starters"

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{1,30}[a-z0-9]")
_NAME_RULE: Final = "3 to 32 of a-z, 0-9 and, inside, underscores and hyphens, beginning with a letter"

_SAMPLE_GAMES: Final = 10


_STEPS: Final = ("build", "test", "register", "run", "submit")
"""The purposes of the commands in a README, in order."""


class InvalidStarter(ArenaError):
    """The starter cannot be written, because its name is not allowed or files already exist."""

    code = "invalid_starter"


@click.command(
    cls=Command,
    examples=("botequim new my_bot --game truco", "botequim new my-bot --game toepen --language go"),
)
@click.argument("folder", metavar="NAME", type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "kind", required=True, type=KIND, help="The game that the bot plays.")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="python",
    show_default=True,
    help="The language of the bot.",
)
@json_option
def new(folder: Path, kind: str, language: str, as_json: bool) -> None:
    """Write a small working bot with a test to the folder NAME, such as my_bot.

    The command prints the files, and the commands that build, test and run the bot and submit it to the
    arena; its README.md explains them. Existing files are never overwritten. The bot is named after the
    folder, with hyphens: my-bot.
    """
    written = write_starter(folder, kind, language)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    found = commands(readme)
    lines = [*map(str, written), "", f"cd {folder}"]
    lines += [f"{command:<30} # {what}" for what, command in found.items()]
    lines += ["", "OWNER is the token printed by 'botequim signup'; see README.md for details."]
    show({"files": [str(path) for path in written], "commands": found}, as_json, "\n".join(lines))


def commands(readme: str) -> dict[str, str]:
    """Return the commands in a starter's README by purpose: ``build``, ``test`` and ``run``, and ``submit``,
    or ``register`` if the arena cannot run the bot. ``$OWNER`` stands for the owner's token.
    """
    found = re.findall(rf"^    (\S.*?) +# ({'|'.join(_STEPS)})\b", readme, re.MULTILINE)
    done = {what: command for command, what in found}
    if "submit" in done:
        done.pop("register", None)
    return {what: done[what] for what in _STEPS if what in done}


def write_starter(folder: Path, kind: str, language: str) -> list[Path]:
    """Write the starter for a language to ``folder``, which can exist already, and return the paths of its
    files.

    Raises :class:`InvalidStarter`, without writing anything, if the name is not allowed or one of the files
    exists.
    """
    names = _names(folder.name)
    texts = {folder / path: text for path, text in starter(names, kind, language).items()}
    there = [str(path) for path in texts if path.exists() or path.is_symlink()]
    if there:
        raise InvalidStarter(
            f"{', '.join(there)} already exists; nothing was written", field="NAME", expected="a new folder"
        )
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    return list(texts)


def starter(names: Mapping[str, str], kind: str, language: str) -> dict[str, str]:
    """Return the files of a starter by path. ``names`` maps the names in the templates to their
    replacements.
    """
    root = files("arena.cli") / _STARTERS
    places = {**names, "@kind@": kind, "@title@": game_of(kind).title}
    places["@online@"] = _filled((root / f"online.md{_ENDING}").read_text(encoding="utf-8"), places)
    texts = {}
    for path, template in _templates(root / language, ""):
        mine = path.replace(f".{kind}.", ".")
        if any(f".{other}." in mine for other in GAMES):
            continue
        texts[_filled(mine.removesuffix(_ENDING), names)] = _filled(template, places)
    turns = ",\n".join(json.dumps(turn) for turn in sample_turns(kind))
    return {**texts, "turns.json": f"[\n{turns}\n]\n"}


def _names(name: str) -> dict[str, str]:
    """Return the replacements for the names in the templates. Raises :class:`InvalidStarter`."""
    if not _NAME.fullmatch(name):
        raise InvalidStarter(f"{name!r} is not a valid bot name", field="NAME", expected=_NAME_RULE)
    module = name.replace("-", "_")
    # In Python, the file would hide a module of this name, and the names of house bots are taken.
    taken = {*sys.stdlib_module_names, *keyword.kwlist, *HOUSE_BOTS, "arena", "botequim", "main"}
    if module in taken:
        raise InvalidStarter(f"the name {name!r} is already taken", field="NAME", expected="another name")
    camel = "".join(part.capitalize() for part in module.split("_"))
    return {"my_bot": module, "my-bot": module.replace("_", "-"), "MyBot": camel}


def _filled(text: str, places: Mapping[str, str]) -> str:
    pattern = "|".join(map(re.escape, places))
    return re.sub(pattern, lambda match: places[match[0]], text)


def _templates(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_ENDING):
            yield prefix + entry.name, entry.read_text(encoding="utf-8")


class _Recorder(Bot):
    """A bot that plays like another one, and keeps the first turn of each kind of decision, with cards and
    without.
    """

    def __init__(self, bot: Bot, kept: dict[tuple[object, ...], Mapping[str, object]]) -> None:
        self._bot = bot
        self._kept = kept

    def choose(self, turn: Turn) -> str | None:
        words = dict.fromkeys(action.partition(":")[0] for action in turn["legal_actions"])
        self._kept.setdefault((*words, not turn["observation"]["hand"]), dict(turn))
        return self._bot.choose(turn)


def sample_turns(kind: str) -> list[Mapping[str, object]]:
    """Return sample turns from games between random bots: the first turn of each kind of decision. They
    include rare kinds, such as an answer after the seat's last card.
    """
    spec = bot_spec("random", kind)
    kept: dict[tuple[object, ...], Mapping[str, object]] = {}
    for number in range(_SAMPLE_GAMES):
        seed = bytes([number]) * 32
        table = Table("sample", kind, {}, seed)
        play(table, [_Recorder(spec.make(bot_seed(seed, seat)), kept) for seat in range(table.size)])
    return list(kept.values())
