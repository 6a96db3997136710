// The page of a game in progress: its moves at reading speed, from a buffer.

const data = JSON.parse(by("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

let picture = data.picture;
let bottom = 0;
let buffer = [];
let timer = 0;
let isOver = false;

const callOf = (shown, seat) => (shown[`said${seat}`]?.[0] === "call" ? shown[`said${seat}`] : null);

function tell() {
  const moves = buffer.length === 1 ? "1 move" : `${buffer.length} moves`;
  by("state").textContent = isOver && !buffer.length ? "over" : buffer.length > 1 ? `${moves} behind` : "live";
  by("catch-up").hidden = buffer.length < 3;
}

function step() {
  clearTimeout(timer);
  timer = 0;
  const change = buffer.shift();
  if (change) {
    picture = { ...picture, ...change };
    drawBoard(data, picture, bottom, true);
    const words = toldChange(data, change);
    if (words) by("spoken").textContent = words;
    const isCall = data.names.some((_, seat) => change[`said${seat}`] && callOf(picture, seat));
    // Faster while it is far behind.
    timer = setTimeout(step, pauseAfter(picture, isCall) / Math.max(1, buffer.length / 4));
  } else if (isOver) {
    // The same address has the replay from now on, or says when it will.
    location.reload();
  }
  tell();
}

function catchUp() {
  for (const change of buffer) picture = { ...picture, ...change };
  buffer = [];
  drawBoard(data, picture, bottom, false);
  tell();
}

function follow() {
  const source = new EventSource(data.stream);
  const end = () => {
    isOver = true;
    source.close();
    if (!timer) timer = setTimeout(step, 900);
  };
  source.addEventListener("table", (event) => {
    const table = JSON.parse(event.data);
    buffer = [];
    picture = table.picture;
    drawBoard(data, picture, bottom, false);
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
    by("state").textContent = "Reconnecting…";
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
  });
}

by("turn").addEventListener("click", () => {
  bottom = (bottom + 1) % data.names.length;
  drawBoard(data, picture, bottom, false);
});
by("catch-up").addEventListener("click", catchUp);
for (const id of ["board", "views"]) by(id).hidden = false;
document.body.classList.add("scripted");
drawBoard(data, picture, bottom, false);
follow();
