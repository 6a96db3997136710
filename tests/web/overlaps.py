"""What lies over something else on the felt of a table."""

from __future__ import annotations

from typing import Any, Final

_FIND: Final = r"""(() => {
    const SLACK = 2; // pixels, of borders and shadows
    const felt = document.getElementById("felt");
    const edge = felt.getBoundingClientRect();
    const PARTS = ".plate, .dealer, .clock, .bubble, .lives, .remark, .hand, .lying, .under, .title, .words, "
        + ".pack, .tricks";
    const BESIDE = "#stake p, #stake li, #when p, #notes p";

    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });

    // The smallest box around some boxes that have a size.
    function around(parts) {
        const boxes = parts.filter((box) => box.width > 1 && box.height > 1);
        if (!boxes.length) return null;
        const of = (side, pick) => pick(...boxes.map((box) => box[side]));
        return {
            left: of("left", Math.min), right: of("right", Math.max),
            top: of("top", Math.min), bottom: of("bottom", Math.max),
        };
    }

    const boxesOf = (elements) => [...elements].filter(isSeen).map((one) => one.getBoundingClientRect());

    // The boxes of text that is not only for screen readers.
    function linesOf(element) {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        const found = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            if (node.parentElement.closest(".hear") || !isSeen(node.parentElement)) continue;
            range.selectNodeContents(node);
            found.push(...range.getClientRects());
        }
        return getComputedStyle(element).clipPath === "none" ? found : [];
    }

    // Of lists only what they contain takes room; of text, its lines.
    function boxOf(element) {
        if (element.matches(".hand")) return around(boxesOf(element.querySelectorAll(".card")));
        if (element.matches(".pack")) return around(boxesOf(element.children));
        if (element.matches(".tricks")) return around(boxesOf(element.querySelectorAll("li")));
        return around(element.matches("p") ? linesOf(element) : boxesOf([element]));
    }

    const boxes = [];
    for (const element of [...felt.querySelectorAll(PARTS), ...document.querySelectorAll(BESIDE)]) {
        const box = boxOf(element);
        if (!box || (!felt.contains(element) && (box.bottom < edge.top || box.top > edge.bottom))) continue;
        const seat = element.closest("[data-seat]")?.dataset.seat;
        const name = `${Array.from(element.classList).join(".") || element.closest("[id]").id}`;
        const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 30);
        boxes.push({ element, box, name: `${name}${seat === undefined ? "" : ` of ${seat}`} "${text}"` });
    }
    const findings = [];
    for (const [at, one] of boxes.entries()) {
        const { box } = one;
        const isIn = box.left >= edge.left - SLACK && box.right <= edge.right + SLACK
            && box.top >= edge.top - SLACK && box.bottom <= edge.bottom + SLACK;
        if (felt.contains(one.element) && !isIn) findings.push(`${one.name} is beyond the edge`);
        for (const other of boxes.slice(at + 1)) {
            if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
            const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
            const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
            if (width > SLACK && height > SLACK) {
                findings.push(`${one.name} and ${other.name}: ${Math.round(width)} by ${Math.round(height)}`);
            }
        }
    }
    return findings;
})"""

_FIND_OF_MOVES: Final = (
    r"""moves => {
    const find = """
    + _FIND
    + r""";
    const slider = document.getElementById("position");
    const found = new Map();
    for (let move = 1; move <= Math.min(moves, Number(slider.max)); move++) {
        slider.value = move;
        slider.dispatchEvent(new Event("input"));
        for (const one of find()) {
            const key = one.replace(/ "[^"]*"|: .*|[.](past|won|off|acts|next|closed)/g, "");
            if (!found.has(key)) found.set(key, `move ${move}: ${one}`);
        }
    }
    return Array.from(found.values());
}"""
)


def overlaps(page: Any) -> list[str]:
    """The parts of the felt that lie over each other or beyond its edge: plates, calls, lives, hands, cards
    of the trick, marks, notes. The cards of one hand may lie over each other.
    """
    found: list[str] = page.evaluate(_FIND)
    return found


def overlaps_of_moves(page: Any, moves: int) -> list[str]:
    """The first overlap of each kind at the first ``moves`` moves on the page of a replay."""
    found: list[str] = page.evaluate(_FIND_OF_MOVES, moves)
    return found
