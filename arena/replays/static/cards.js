// Elements and cards. Text is inserted as text nodes only; nothing here accepts markup.

const SVG = "http://www.w3.org/2000/svg";
const SUITS = { C: "clubs", H: "hearts", S: "spades", D: "diamonds" };

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function suit(letter, attributes = {}) {
  return svg("use", { href: `#suit-${letter}`, ...attributes });
}

const rankOf = (card) => (card[0] === "T" ? "10" : card[0]);
const isRed = (card) => card[1] === "H" || card[1] === "D";

// A card of 60 by 84; "" is its back. Screen readers read `name`.
function drawCard(card, name, faceDown = false) {
  const label = card ? (faceDown ? `${name}, face down` : name) : "a card, face down";
  const drawn = svg("svg", { class: "card", viewBox: "0 0 60 84", role: "img", "aria-label": label });
  drawn.dataset.card = card;
  drawn.append(svg("rect", { class: "paper", x: 0.5, y: 0.5, width: 59, height: 83, rx: 6.5 }));
  if (!card) {
    drawn.classList.add("back");
    drawn.append(
      svg("rect", { class: "frame", x: 4, y: 4, width: 52, height: 76, rx: 3 }),
      svg("rect", { class: "tiles", x: 4, y: 4, width: 52, height: 76, rx: 3 }),
    );
    return drawn;
  }
  if (isRed(card)) drawn.classList.add("red");
  if (faceDown) drawn.append(svg("rect", { class: "dashes", x: 2.5, y: 2.5, width: 55, height: 79, rx: 5 }));
  const rank = svg("text", { x: 5.5, y: 29.5 }, rankOf(card));
  if (card[0] === "T") fill(rank, { textLength: 31, lengthAdjust: "spacingAndGlyphs" }, []);
  drawn.append(
    rank,
    suit(card[1], { x: 6, y: 33, width: 17, height: 17 }),
    suit(card[1], { x: 24, y: 47, width: 31, height: 31 }),
  );
  return drawn;
}

// A card inside text.
function writeCard(card) {
  if (!card) return html("span", { class: "pip unseen", role: "img", "aria-label": "a card, face down" });
  return html(
    "span",
    { class: isRed(card) ? "pip red" : "pip" },
    rankOf(card),
    svg("svg", { "aria-hidden": "true" }, suit(card[1])),
    html("span", { class: "hear" }, ` of ${SUITS[card[1]]}`),
  );
}
