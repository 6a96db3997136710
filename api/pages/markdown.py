"""Converts the Markdown of the manual to HTML, with a list of its headings and its text for searching."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

from arena.games import GAMES

_ANCHOR: Final = re.compile(r'<a id="([\w-]+)"></a>')
_SOURCE: Final = re.compile(r"\s*\(([SIHAM](?:/[SIHAM])*)\)\s*")
_RULE_PAGES: Final = {rules.prefix: rules.path for game in GAMES.values() for rules in game.rules_pages}
_RULE: Final = re.compile(rf"(?:{'|'.join(_RULE_PAGES)})-\d+\.\d+[a-z]?")


@dataclass(frozen=True)
class Section:
    """A heading of a page and the text below it. ``level`` is 1 for the title of the page."""

    level: int
    id: str
    heading: str
    text: str


@dataclass(frozen=True)
class MarkdownPage:
    """A page of the manual as HTML, and its sections in page order."""

    html: Markup
    sections: Sequence[Section]


def render_markdown(text: str, name: str, address: Callable[[str], str | None]) -> MarkdownPage:
    """Return the page ``name``, such as ``rules/toepen``.

    ``address`` returns the URL of a file, given relative to the folder of the manual; if it returns None, a
    link to the file becomes plain text. HTML in the text is shown as text, except for anchors.
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.children:
            token.children = list(_linked(token.children, posixpath.dirname(name), address))
    _mark_rules(tokens, name)
    _align_by_class(tokens)
    sections = _sections(tokens)
    html = parser.renderer.render(tokens, parser.options, {})
    # Wide examples can be scrolled, including with the keyboard.
    return MarkdownPage(Markup(html.replace("<pre>", '<pre tabindex="0">')), sections)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.inline.ruler.before("text", "anchor", _anchor)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    return parser


def _anchor(state: StateInline, silent: bool) -> bool:
    found = _ANCHOR.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("anchor_open", "a", 1).attrSet("id", found[1])
        state.push("anchor_close", "a", -1)
    state.pos = found.end()
    return True


def _table_open(renderer: RendererHTML, tokens: Sequence[Token], *_: object) -> str:
    return '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>\n'


def _table_close(renderer: RendererHTML, tokens: Sequence[Token], *_: object) -> str:
    return "</table></div>\n"


def _align_by_class(tokens: Iterable[Token]) -> None:
    """Align columns using classes, because the pages' content security policy forbids inline styles."""
    for token in tokens:
        style = token.attrs.pop("style", None)
        if style == "text-align:right":
            token.attrSet("class", "right")


# Links


def _linked(tokens: Iterable[Token], folder: str, address: Callable[[str], str | None]) -> Iterator[Token]:
    """Yield the tokens with paths of files replaced by URLs of pages, and with links to rules added."""
    depth = 0
    dropped = False
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrs["href"]), folder, address)
            dropped = target is None
            depth += 1
            if target is not None:
                token.attrSet("href", target)
                yield token
        elif token.type == "link_close":
            depth -= 1
            if not dropped:
                yield token
        elif token.type in ("text", "code_inline") and not depth:
            yield from _with_rules(token)
        else:
            yield token


def _target(href: str, folder: str, address: Callable[[str], str | None]) -> str | None:
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or not parts.path:
        return href
    found = address(posixpath.normpath(posixpath.join(folder, parts.path)))
    if found is None or not parts.fragment:
        return found
    return f"{found}#{parts.fragment}"


def _with_rules(token: Token) -> Iterator[Token]:
    if token.type == "code_inline":
        rule = _RULE.fullmatch(token.content)
        yield from _link_to_rule(token.content, token) if rule else (token,)
        return
    end = 0
    for found in _RULE.finditer(token.content):
        yield _text(token.content[end : found.start()])
        yield from _link_to_rule(found[0], _text(found[0]))
        end = found.end()
    yield _text(token.content[end:])


def _link_to_rule(number: str, shown: Token) -> Iterator[Token]:
    page = _RULE_PAGES[number.partition("-")[0]]
    yield Token("link_open", "a", 1, attrs={"href": f"/docs/{page}#{number}"})
    yield shown
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


# Rules


def _mark_rules(tokens: Sequence[Token], name: str) -> None:
    """In lists of rules, make each rule's number a link to itself, and put its source in a column."""
    if name not in _RULE_PAGES.values():
        return
    for position, token in enumerate(tokens):
        if token.type != "list_item_open":
            continue
        children = tokens[position + 2].children or []
        shown = [child for child in children if child.type == "text" and child.content]
        if not shown or not _RULE.fullmatch(shown[0].content):
            continue
        token.attrSet("id", shown[0].content)
        token.attrSet("class", "rule")
        source = _SOURCE.match(shown[1].content)
        if source is not None:
            shown[1].content = shown[1].content[source.end() :]
            at = children.index(shown[1])
            children[at:at] = [
                Token("span_open", "span", 1, attrs={"class": "source"}),
                _text(source[1]),
                Token("span_close", "span", -1),
            ]
        opening = next(
            earlier
            for earlier in reversed(tokens[:position])
            if earlier.type == "bullet_list_open" and earlier.level == token.level - 1
        )
        opening.attrSet("class", "rules")


# Headings


def _sections(tokens: Sequence[Token]) -> Sequence[Section]:
    """Add ids to the headings, as GitHub does, and return the headings with the text below each.

    A heading whose id is the id of an anchor immediately above it gets none.
    """
    anchors = {
        child.attrs["id"] for token in tokens for child in token.children or () if child.type == "anchor_open"
    }
    found: list[Section] = []
    text: list[str] = []
    seen: dict[str, int] = {}
    level, name, heading = 1, "", ""
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            if heading:
                found.append(Section(level, name, heading, " ".join(" ".join(text).split())))
            level, heading, text = int(token.tag[1]), _plain(tokens[position + 1]), []
            name = _unique(_slug(heading), seen)
            if name not in anchors:
                token.attrSet("id", name)
        elif token.type == "inline" and tokens[position - 1].type != "heading_open":
            text.append(_plain(token))
        elif token.type in ("fence", "code_block"):
            text.append(token.content)
    found.append(Section(level, name, heading, " ".join(" ".join(text).split())))
    return found


def _plain(token: Token) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak", "span_close") else child.content
        for child in token.children or ()
    )


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _unique(slug: str, seen: dict[str, int]) -> str:
    count = seen.get(slug, 0)
    seen[slug] = count + 1
    return f"{slug}-{count}" if count else slug
