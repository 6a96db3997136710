"""The page of a game in ``docs/``, generated from its descriptor: options, actions, observations and events.

``python -m api.openapi.game_page truco > docs/truco.md`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.options import Option
from arena.games.shapes import (
    ActionForm,
    ChoiceShape,
    EventShape,
    ListShape,
    NumberShape,
    ObjectShape,
    Shape,
    TextShape,
    TruthShape,
)


def game_page(game: Game) -> str:
    """Return the text of the page."""
    lines = [
        f"# {game.title} for bots",
        "",
        f"This page lists the rule options, actions, observation fields and events of `{game.kind}`. The "
        "schemas in",
        "[openapi.yaml](../openapi.yaml) define them exactly; [turns](turns.md) has the rest of a turn.",
        "The numbers refer to the rules: "
        + ", ".join(f"[{rules.title}]({rules.path}.md)" for rules in game.rules_pages)
        + ".",
        "",
        f"{game.seating} Seats are numbered from 0.",
        "",
        "This page is generated from the code: "
        f"`python -m api.openapi.game_page {game.kind} > docs/{game.kind}.md`.",
        "",
        "## Rule options",
        "",
        *_table("option", "values", "default", "meaning", rows=map(_option, game.options.by_name.values())),
        "",
        "Named rule sets, with the options in which each differs from the defaults:",
        "",
        *_table(
            "name",
            "rules",
            "meaning",
            rows=((_code(preset.name), _rules(preset.rules), preset.doc) for preset in game.presets),
        ),
        *_apart(game),
        "",
        "## Actions",
        "",
        "An action is a string in one of these forms; it matches exactly one pattern, from beginning to end.",
        "A turn lists the legal actions, and an answer must be one of them.",
        "",
        *_table("example", "pattern", "meaning", rows=_forms(game.actions, by_chance=False)),
        "",
        "Chance, which is seat -1 in records, takes these actions:",
        "",
        *_table("example", "pattern", "meaning", rows=_forms(game.actions, by_chance=True)),
        "",
        "## Observation",
        "",
        game.observation.doc,
        "",
        *_fields(game.observation.fields),
    ]
    for shape in _objects(game.observation):
        lines += ["", f'<a id="{shape.name.lower()}"></a>', f"### {shape.name}", "", shape.doc, ""]
        lines += _fields(shape.fields)
    lines += [
        "",
        "## Events",
        "",
        "Every event has a `type` and, in turns and in lists of events, `n`, its number in the game.",
        "",
        *_table("type", "meaning", "fields", rows=(_event(event) for event in game.events)),
        "",
        "Their fields:",
        "",
        *_table("type", "field", "value", "meaning", rows=_event_fields(game.events)),
    ]
    return "\n".join(lines) + "\n"


def _table(*heads: str, rows: Iterator[tuple[str, ...]] | map[tuple[str, ...]]) -> list[str]:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def _code(text: object) -> str:
    """Format text as code, including within a table cell."""
    return "`" + str(text).replace("|", "\\|") + "`"


def _option(option: Option) -> tuple[str, ...]:
    values = ", ".join(map(_code, option.choices)) or option.allowed
    return _code(option.name), values, option.default_text, option.doc


def _rules(rules: Mapping[str, object]) -> str:
    return ", ".join(_code(f"{name}={value}") for name, value in rules.items()) or "-"


def _apart(game: Game) -> list[str]:
    """Return the lines about the presets for which bots qualify separately."""
    names = [_code(preset.name) for preset in game.disciplines[1:]]
    if not names:
        return []
    separately = "Bots [qualify](tournaments.md#presets-that-are-games-of-their-own) separately for"
    return ["", f"{separately} {', '.join(names)}."]


def _forms(forms: tuple[ActionForm, ...], *, by_chance: bool) -> Iterator[tuple[str, ...]]:
    for form in forms:
        if form.by_chance == by_chance:
            shown = form.example if len(form.example) <= 24 else form.example[:17] + "..."
            yield _code(shown), _code(form.pattern), form.meaning


def _fields(fields: Mapping[str, Shape]) -> list[str]:
    rows = ((_code(name), _kind(shape), _meaning(shape)) for name, shape in fields.items())
    return _table("field", "value", "meaning", rows=rows)


def _event(event: EventShape) -> tuple[str, ...]:
    return ", ".join(map(_code, event.types)), event.doc, ", ".join(map(_code, event.fields)) or "-"


def _event_fields(events: tuple[EventShape, ...]) -> Iterator[tuple[str, ...]]:
    for event in events:
        for name, shape in event.fields.items():
            yield ", ".join(map(_code, event.types)), _code(name), _kind(shape), _meaning(shape)


def _meaning(shape: Shape) -> str:
    # The text about an object is below the object's heading.
    return "" if isinstance(shape, ObjectShape) else shape.doc


def _kind(shape: Shape) -> str:
    """Return a description of a field's value."""
    return _plain_kind(shape) + (" or null" if shape.nullable else "")


def _plain_kind(shape: Shape) -> str:
    match shape:
        case NumberShape():
            return "whole number"
        case TruthShape():
            return "true or false"
        case TextShape(choices=choices, pattern=pattern):
            if choices:
                return "one of " + ", ".join(map(_code, choices))
            return f"text {_code(pattern)}" if pattern else "text"
        case ChoiceShape(choices=values):
            return "one of " + ", ".join(map(_code, values))
        case ListShape(of=item):
            return f"list of: ({_kind(item)})" if item.nullable else f"list of: {_kind(item)}"
        case ObjectShape(name=name):
            return f"[{name}](#{name.lower()})"
    raise TypeError(f"unsupported shape {shape!r}")


def _objects(shape: Shape) -> Iterator[ObjectShape]:
    """Yield each object inside a shape once, outer objects first."""
    found: dict[str, ObjectShape] = {}

    def visit(inner: Shape) -> None:
        if isinstance(inner, ListShape):
            visit(inner.of)
        elif isinstance(inner, ObjectShape):
            if inner is not shape:
                found.setdefault(inner.name, inner)
            for field in inner.fields.values():
                visit(field)

    visit(shape)
    yield from found.values()


def main() -> None:
    """Print the page of the game named on the command line."""
    sys.stdout.write(game_page(game_of(sys.argv[1])))


if __name__ == "__main__":
    main()
