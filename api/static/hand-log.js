// The log of the hand (#hand-log), and what a screen reader speaks (#spoken).

const MOST_SPOKEN = 12;
const LETTERS = { "♣": "C", "♥": "H", "♠": "S", "♦": "D" };
const WRITTEN = /(10|[2-9JQKA])([♣♥♠♦])/;
const cardOf = ([, rank, symbol]) => (rank === "10" ? "T" : rank) + LETTERS[symbol];

// A line with its cards in words: "You play seven of hearts."
function inWords(line) {
  const several = new RegExp(`${WRITTEN.source}( (?=${WRITTEN.source}))?`, "g");
  const words = line.replace(several, (...found) => data.cards[cardOf(found)].split(",")[0] + (found[3] ? ", " : ""));
  return WRITTEN.exec(line)?.index === 0 ? words[0].toUpperCase() + words.slice(1) : words;
}

// The same as nodes, with its cards as in the notes.
function written(line) {
  const parts = [];
  for (let rest = line; rest; ) {
    const found = WRITTEN.exec(rest);
    const end = found ? found.index : rest.length;
    if (end) parts.push(rest.slice(0, end));
    if (!found) break;
    parts.push(writeCard(cardOf(found)));
    rest = rest.slice(end + found[0].length);
  }
  return parts;
}

function writeLog(lines) {
  by("hand-log").append(...lines.map((line) => html("li", {}, ...written(line))));
  showNewest();
}

function showNewest() {
  by("hand-log").scrollTop = by("hand-log").scrollHeight;
}

// On phones the log is behind a button, and elsewhere a longer question leaves it less room.
by("beside")?.addEventListener("toggle", showNewest);
new ResizeObserver(showNewest).observe(by("hand-log"));

// Sentences are added and not replaced: what is added at once is spoken one after the other.
function speak(lines) {
  const spoken = by("spoken");
  spoken.append(...lines.map((line) => html("p", {}, inWords(line))));
  while (spoken.children.length > MOST_SPOKEN) spoken.firstChild.remove();
}

// The lines of a change; `picture` is the one before it. The draw for the first dealer belongs to the first hand.
function logChange(change, picture) {
  if (change.hand && picture.hand) by("hand-log").replaceChildren();
  writeLog(change.lines);
}
