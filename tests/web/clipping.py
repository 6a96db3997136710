"""Which text of a page cannot be read because something cuts it off."""

from __future__ import annotations

from typing import Any, Final

LEAST_SHOWN: Final = 8
"""Maximum characters that have to be left of a text that is cut off and has a title."""

_FIND: Final = r"""least => {
    const UNREAD = "script, style, noscript, template, option, textarea, progress, title";
    const ARROW = 14; // pixels, of a select
    const cuts = (value) => value === "hidden" || value === "clip";
    const scrolls = (value) => value === "auto" || value === "scroll";

    // What is only for screen readers.
    const isForEars = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const style = getComputedStyle(at);
            const isAside = style.position === "absolute" && style.overflowX === "hidden";
            if (isAside && style.clipPath !== "none") return true;
        }
        return false;
    };

    // The part of the page in which an element is shown, and whether its end is an ellipsis.
    function windowOf(element) {
        const found = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity, ellipsis: false };
        let position = "static";
        for (let at = element; at && at !== document.body; at = at.parentElement) {
            const style = getComputedStyle(at);
            const isPassed = position === "absolute" && style.position === "static" && at !== element;
            if (!isPassed) {
                // What can be scrolled to is not cut off.
                if (scrolls(style.overflowX) || scrolls(style.overflowY)) break;
                const box = at.getBoundingClientRect();
                if (cuts(style.overflowX) && style.display !== "inline") {
                    found.left = Math.max(found.left, box.left);
                    found.right = Math.min(found.right, box.right);
                    found.ellipsis ||= style.textOverflow === "ellipsis" && at.scrollWidth > at.clientWidth;
                }
                if (cuts(style.overflowY) && style.display !== "inline") {
                    found.top = Math.max(found.top, box.top);
                    found.bottom = Math.min(found.bottom, box.bottom);
                }
                position = style.position;
                if (position === "fixed") break;
            }
        }
        return found;
    }

    const range = document.createRange();

    function isWhole(node, within) {
        range.selectNodeContents(node);
        const boxes = Array.from(range.getClientRects());
        const fits = (box) => box.width > 0.5 && box.height > 0.5
            && box.left >= within.left - 1 && box.right <= within.right + 1
            && box.top >= within.top - 1 && box.bottom <= within.bottom + 1;
        return !within.ellipsis && boxes.length > 0 && boxes.every(fits);
    }

    // The characters that are shown if some are not, otherwise null.
    function shownOf(node, within, size) {
        if (isWhole(node, within)) return null;
        const right = within.right - (within.ellipsis ? 0.9 * size : 0);
        let shown = "";
        let isCut = within.ellipsis;
        for (let at = 0; at < node.data.length; at++) {
            if (!node.data[at].trim()) continue;
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const box = range.getBoundingClientRect();
            const isWide = box.width > 0.5 && box.height > 0.5;
            const isBeside = box.left < within.left - 1 || box.right > right + 1;
            const height = Math.min(box.bottom, within.bottom) - Math.max(box.top, within.top);
            if (isWide && !isBeside && height > 0.6 * box.height) shown += node.data[at];
            else isCut = true;
        }
        return isCut ? shown : null;
    }

    const findings = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.data.trim().replace(/\s+/g, " ");
        const element = node.parentElement;
        if (!text || element.closest(UNREAD)) continue;
        if (!element.checkVisibility({ visibilityProperty: true }) || isForEars(element)) continue;
        const shown = shownOf(node, windowOf(element), parseFloat(getComputedStyle(element).fontSize));
        if (shown === null) continue;
        const titled = element.closest("[title]");
        const isTold = titled !== null && titled.title.replace(/\s+/g, " ").includes(text);
        if (isTold && shown.length >= least) continue;
        const path = [];
        for (let at = element; at && path.length < 3; at = at.parentElement) {
            path.unshift(at.localName + Array.from(at.classList, (name) => `.${name}`).join(""));
        }
        const why = isTold ? "" : ", without a title";
        const message = `"${text.slice(0, 60)}" is shown as "${shown.slice(0, 60)}"${why}`;
        findings.push(`${path.join(" > ")}: ${message}`);
    }
    const context = document.createElement("canvas").getContext("2d");
    for (const field of document.querySelectorAll("select")) {
        if (!field.checkVisibility({ visibilityProperty: true }) || isForEars(field)) continue;
        const style = getComputedStyle(field);
        context.font = style.font;
        const text = (field.selectedOptions[0]?.label ?? "").slice(0, least);
        const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
        if (context.measureText(text).width <= field.clientWidth - padding - ARROW) continue;
        findings.push(`select#${field.id}: "${text}" does not fit`);
    }
    return findings;
}"""


def clipped(page: Any) -> list[str]:
    """The texts of the page that are cut off, by ``overflow: hidden`` or ``clip`` of their element or of one
    around it, or that have no width at all. What can be scrolled to is not cut off. Of a text with a title
    that says all of it, and of the chosen text of a list, :data:`LEAST_SHOWN` characters are enough.
    """
    found: list[str] = page.evaluate(_FIND, LEAST_SHOWN)
    return found
