// The moves of a game in progress at reading speed, from a buffer.

const callOf = (shown, seat) => (shown[`said${seat}`]?.[0] === "call" ? shown[`said${seat}`] : null);
const isCall = (names, picture, change) => names.some((_, seat) => change[`said${seat}`] && callOf(picture, seat));

const CLOCK_PAUSE = 200; // milliseconds between two looks at the clocks
const MOST_BEHIND = 60; // moves that wait, about a minute of them, from which the page goes to the last one by itself
const TENTHS = 10_000; // milliseconds under which tenths are shown

function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < TENTHS) return (left / 1000).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// `page`: draw(picture, moving), said(change, before), log(lines) of the hand so far, tell(buffered, isOver), lost(),
// watched(count): how many watch, if there is a place for it, over(): the last move has been shown.
function followTable(data, page) {
  let picture = data.picture;
  let buffer = [];
  let timer = 0;
  let retry = 0;
  let isOver = false;
  let source = null;
  let clocks = []; // seats, and when their time is up

  function take(message) {
    isOver = message.over;
    page.watched?.(message.watch);
    clocks = message.clocks.map(([seat, ms]) => [seat, performance.now() + ms]);
  }

  function drawClocks() {
    // While moves are waiting, the table is not at the present.
    const running = new Map(buffer.length || isOver ? [] : clocks);
    for (const seat of document.querySelectorAll("#felt .seat")) {
      const end = running.get(Number(seat.dataset.seat));
      const shown = seat.querySelector(".clock");
      if (end === undefined) {
        shown?.remove();
        continue;
      }
      const text = clockText(end - performance.now());
      if (shown) shown.textContent = text;
      else seat.querySelector(".name").after(html("span", { class: "clock", "aria-hidden": "true" }, text));
    }
  }

  const tell = () => page.tell(buffer.length, isOver);

  function step() {
    clearTimeout(timer);
    timer = 0;
    const change = buffer.shift();
    if (change) {
      const before = picture;
      picture = { ...picture, ...change };
      page.draw(picture, true);
      page.said(change, before);
      // Faster while it is far behind.
      timer = setTimeout(step, pauseAfter(picture, isCall(data.names, picture, change)) / Math.max(1, buffer.length / 4));
    } else if (isOver) {
      page.over();
    }
    tell();
  }

  function catchUp() {
    for (const change of buffer) {
      page.said(change, picture);
      picture = { ...picture, ...change };
    }
    buffer = [];
    page.draw(picture, false);
    tell();
  }

  function open() {
    source = new EventSource(data.stream);
    const end = () => {
      source.close();
      if (!timer) timer = setTimeout(step, 900);
    };
    source.addEventListener("table", (event) => {
      const table = JSON.parse(event.data);
      take(table);
      buffer = [];
      picture = table.picture;
      page.draw(picture, false);
      page.log(table.log);
      tell();
      if (table.over) end();
    });
    source.addEventListener("moves", (event) => {
      const moves = JSON.parse(event.data);
      take(moves);
      buffer.push(...moves.changes);
      if (buffer.length > MOST_BEHIND) catchUp();
      if (moves.over) end();
      else if (!timer) step();
      tell();
    });
    source.addEventListener("error", () => {
      page.lost();
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, 5000);
    });
  }

  // The timers of a tab that nobody saw have hardly run.
  const seen = () => {
    if (!document.hidden && buffer.length > 1) catchUp();
  };

  // What has been received is dropped: the stream begins with the table as it is.
  function close() {
    clearTimeout(timer);
    clearTimeout(retry);
    clearInterval(looking);
    document.removeEventListener("visibilitychange", seen);
    timer = 0;
    source.close();
  }

  open();
  document.addEventListener("visibilitychange", seen);
  const looking = setInterval(drawClocks, CLOCK_PAUSE);
  return { catchUp, close, picture: () => picture };
}
