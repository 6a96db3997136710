"""What the file of a bot holds: its class or function, and the games that it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots import GameNotPlayed, InvalidBot, bot_spec
from arena.games import GAMES

BOT = "from botequim import Bot\n"
CHOOSES = "    def choose(self, turn):\n        return type(self).__name__\n"
FUNCTION = "def choose(turn):\n    return 'a function'\n"


def written(folder: Path, *parts: str) -> str:
    path = folder / "my_bot.py"
    path.write_text("".join(parts))
    return str(path)


def named(games: str) -> tuple[str, ...]:
    """A class and a function that name these games."""
    return f"{BOT}class Mine(Bot):\n    games = {games}\n{CHOOSES}", f"games = {games}\n{FUNCTION}"


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ((BOT, "class Base(Bot):\n", CHOOSES, "class Mine(Base):\n    pass\n"), "Mine"),
        ((BOT, "class A(Bot):\n", CHOOSES, "class B(A):\n    pass\nclass C(B, A):\n    pass\n"), "C"),
        ((BOT, "class Mine(Bot):\n", CHOOSES, "Same = Mine\n"), "Mine"),
        ((BOT, "class Other(Bot):\n", CHOOSES, "class Bot(Bot):\n", CHOOSES), "Bot"),
        ((BOT, "class A(Bot):\n", CHOOSES, "class B(Bot):\n", CHOOSES, FUNCTION), "a function"),
    ],
)  # fmt: skip
def test_what_a_file_plays_by(parts: tuple[str, ...], found: str, tmp_path: Path) -> None:
    assert bot_spec(written(tmp_path, *parts)).make(1).choose({}) == found


def test_several_bots_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, BOT, "class B(Bot):\n", CHOOSES, "class A(Bot):\n", CHOOSES)
    with pytest.raises(InvalidBot, match=r"my_bot\.py contains several bots: A, B; .*one of them named Bot"):
        bot_spec(path)


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize(
    ("games", "known"),
    [('("truco",)', ("truco",)), ("()", ()), ('["toepen", "truco", "toepen"]', ("toepen", "truco"))],
)
def test_a_bot_says_which_games_it_plays(
    games: str, known: tuple[str, ...], way: int, tmp_path: Path
) -> None:
    path = written(tmp_path, named(games)[way])
    assert bot_spec(path).games == known
    for kind in GAMES:
        if not known or kind in known:
            assert bot_spec(path, kind).games == known
        else:
            with pytest.raises(GameNotPlayed) as caught:
                bot_spec(path, kind)
            assert caught.value.code == "game_not_played"
            assert caught.value.message == f"{path} does not play {kind}: its games do not name it"
            assert caught.value.expected == " or ".join(known)


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize(
    ("games", "said"),
    [
        (
            '"truco"',
            "games must be a tuple of names, not 'truco'; at bot; expected names, such as (\"truco\",)",
        ),
        ("{}", "games must be a tuple of names, not {}; at bot; expected names"),
        ("(1,)", "games must be a tuple of names, not (1,); at bot; expected names"),
        ('("trucco",)', "games names the unknown game 'trucco'; at bot; expected some of truco, toepen"),
    ],
)
def test_other_games_are_refused(games: str, said: str, way: int, tmp_path: Path) -> None:
    path = written(tmp_path, named(games)[way])
    with pytest.raises(InvalidBot) as caught:
        bot_spec(path)
    assert str(caught.value).startswith(f"{path}: {said}")


def test_what_an_object_counts_is_no_declaration(tmp_path: Path) -> None:
    more = "    def __init__(self):\n        self.games = 7\n"
    assert bot_spec(written(tmp_path, BOT, "class Mine(Bot):\n", more, CHOOSES)).games == ()


def test_the_version_of_a_file_is_what_it_holds(tmp_path: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for path in (first, second):
        path.write_text("def choose(turn):\n    return turn['legal_actions'][0]\n")
    version = bot_spec(str(first)).version
    assert bot_spec(str(second)).version == version
    first.write_text("def choose(turn):\n    return turn['legal_actions'][-1]\n")
    assert bot_spec(str(first)).version != version
