"""The page of a game in ``docs/``: its options, actions, observation and events, from its descriptor.

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
        f"All rule options, actions, and fields of observations and events of `{game.kind}`. The schemas in",
        "[openapi.yaml](../openapi.yaml) say the same; [turns](turns.md) describes the rest of a turn.",
        "The rules, which the numbers cite: "
        + ", ".join(f"[{rules.title}]({rules.path}.md)" for rules in game.rules_pages)
        + ".",
        "",
        f"{game.seating} Seats are numbered from 0.",
        "",
        "This page is made from the code: "
        f"`python -m api.openapi.game_page {game.kind} > docs/{game.kind}.md`.",
        "",
        "## Rule options",
        "",
        *_table("option", "values", "default", "meaning", rows=map(_option, game.options.by_name.values())),
        "",
        "Named rule sets, which differ from the defaults in what is listed:",
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
        "An action is a text of one of these forms; it fits exactly one pattern, from beginning to end.",
        "A turn lists those that are legal, and an answer is one of them.",
        "",
        *_table("example", "pattern", "meaning", rows=_forms(game.actions, by_chance=False)),
        "",
        "Chance, seat -1 in records, does these:",
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
        "Every event has `type` and, in turns and in lists of events, `n`: its number in the game.",
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
    """Format a text as code, also within a table cell."""
    return "`" + str(text).replace("|", "\\|") + "`"


def _option(option: Option) -> tuple[str, ...]:
    values = ", ".join(map(_code, option.choices)) or option.allowed
    return _code(option.name), values, option.default_text, option.doc


def _rules(rules: Mapping[str, object]) -> str:
    return ", ".join(_code(f"{name}={value}") for name, value in rules.items()) or "-"


def _apart(game: Game) -> list[str]:
    """Return for which presets bots qualify separately."""
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
    # Of an object, the text is at its own heading.
    return "" if isinstance(shape, ObjectShape) else shape.doc


def _kind(shape: Shape) -> str:
    """Return what a field holds, in words."""
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
    """Yield the objects inside a shape, each once, outer ones first."""
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
    """Print the page of the game that the command line names."""
    sys.stdout.write(game_page(game_of(sys.argv[1])))


if __name__ == "__main__":
    main()
