// The page /watch: all tables follow one stream, which brings the parts of the drawings that have changed.

const room = document.getElementById("watch");
const pauseButton = document.getElementById("watch-pause");
const places = { large: document.getElementById("large-tables"), small: document.getElementById("small-tables") };
const RETRY = 5000; // milliseconds

let source = null;
let retry = 0;
let isPaused = false;
let address = room.dataset.stream;

// Markup as the server has written it, for an element that is or is not inside a drawing.
function parsed(markup, inDrawing) {
  const body = new DOMParser().parseFromString(inDrawing ? `<svg>${markup}</svg>` : markup, "text/html").body;
  return document.importNode((inDrawing ? body.firstChild : body).firstElementChild, true);
}

const tableOf = (game) => room.querySelector(`[data-game="${CSS.escape(game)}"]`);
const scrollDown = (log) => log && (log.scrollTop = log.scrollHeight);

function arrange(order, fresh) {
  const found = new Map(Array.from(room.querySelectorAll("[data-game]"), (table) => [table.dataset.game, table]));
  for (const [game, markup] of Object.entries(fresh)) {
    const table = parsed(markup, false);
    if (room.dataset.kind && table.dataset.kind !== room.dataset.kind) continue;
    found.get(game)?.replaceWith(table);
    found.set(game, table);
  }
  for (const [game, table] of found) {
    if (!order.includes(game)) table.remove();
  }
  const next = { large: places.large.firstElementChild, small: places.small.firstElementChild };
  for (const game of order) {
    const table = found.get(game);
    if (!table) continue;
    const size = "large" in table.dataset ? "large" : "small";
    // What stays where it is keeps the focus.
    if (table === next[size]) next[size] = table.nextElementSibling;
    else places[size].insertBefore(table, next[size]);
    scrollDown(game in fresh && table.querySelector(".hand-log"));
  }
}

function change(game, { parts, lines, clear }) {
  const table = tableOf(game);
  if (!table) return;
  for (const [name, markup] of Object.entries(parts)) {
    const old = table.querySelector(`[data-part="${name}"]`);
    old?.replaceWith(parsed(markup, old instanceof SVGElement));
  }
  const log = table.querySelector(".hand-log");
  if (!log || !(lines || clear)) return;
  const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
  if (clear) log.replaceChildren();
  log.append(...(lines ?? []).map((line) => parsed(line, false)));
  if (isAtEnd || clear) scrollDown(log);
}

function open() {
  source = new EventSource(address);
  source.addEventListener("felts", (event) => {
    const { order, tables, changed } = JSON.parse(event.data);
    address = room.dataset.stream.replace(/after=.*/, `after=${event.lastEventId}`);
    if (order) arrange(order, tables);
    for (const [game, one] of Object.entries(changed ?? {})) change(game, one);
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY);
  });
}

// A tab that nobody looks at holds no stream.
function run() {
  const follows = !isPaused && !document.hidden;
  pauseButton.textContent = isPaused ? "Follow the tables" : "Pause the tables";
  if (follows && !source) open();
  if (!follows && source) {
    clearTimeout(retry);
    source.close();
    source = null;
  }
}

pauseButton.hidden = false;
pauseButton.addEventListener("click", () => {
  isPaused = !isPaused;
  run();
});
document.addEventListener("visibilitychange", run);
for (const log of room.querySelectorAll(".hand-log")) scrollDown(log);
run();
