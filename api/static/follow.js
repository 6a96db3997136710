// The moves of a game in progress at reading speed, from a buffer.

const callOf = (shown, seat) => (shown[`said${seat}`]?.[0] === "call" ? shown[`said${seat}`] : null);
const isCall = (names, picture, change) => names.some((_, seat) => change[`said${seat}`] && callOf(picture, seat));

// `page`: draw(picture, moving), said(change), tell(buffered, isOver), lost(), over(): the last move has been shown.
function followTable(data, page) {
  let picture = data.picture;
  let buffer = [];
  let timer = 0;
  let retry = 0;
  let isOver = false;
  let source = null;

  const tell = () => page.tell(buffer.length, isOver);

  function step() {
    clearTimeout(timer);
    timer = 0;
    const change = buffer.shift();
    if (change) {
      picture = { ...picture, ...change };
      page.draw(picture, true);
      page.said(change);
      // Faster while it is far behind.
      timer = setTimeout(step, pauseAfter(picture, isCall(data.names, picture, change)) / Math.max(1, buffer.length / 4));
    } else if (isOver) {
      page.over();
    }
    tell();
  }

  function catchUp() {
    for (const change of buffer) picture = { ...picture, ...change };
    buffer = [];
    page.draw(picture, false);
    tell();
  }

  function open() {
    source = new EventSource(data.stream);
    const end = () => {
      isOver = true;
      source.close();
      if (!timer) timer = setTimeout(step, 900);
    };
    source.addEventListener("table", (event) => {
      const table = JSON.parse(event.data);
      buffer = [];
      picture = table.picture;
      page.draw(picture, false);
      tell();
      if (table.over) end();
    });
    source.addEventListener("moves", (event) => {
      const { changes, over } = JSON.parse(event.data);
      buffer.push(...changes);
      if (over) end();
      else if (!timer) step();
      tell();
    });
    source.addEventListener("error", () => {
      page.lost();
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, 5000);
    });
  }

  // What has been received is dropped: the stream begins with the table as it is.
  function close() {
    clearTimeout(timer);
    clearTimeout(retry);
    timer = 0;
    source.close();
  }

  open();
  return { catchUp, close, picture: () => picture };
}
