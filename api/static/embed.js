// A game in a frame on another site: followed while it is in progress, or its moves one by one.

const data = JSON.parse(by("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

function draw(picture, moving) {
  drawBoard(data, picture, 0, moving);
  by("score").textContent = hasSides(data) ? picture.score.join("–") : `hand ${picture.hand}`;
}

function follow() {
  draw(data.picture, false);
  const followed = followTable(data, {
    draw,
    said() {},
    log() {},
    tell(_, isOver) {
      by("tag").textContent = isOver ? "over" : "live";
    },
    lost() {
      by("tag").textContent = "Reconnecting…";
    },
    // The same address has the replay from now on, as soon as it is there.
    over: () => setTimeout(() => location.reload(), 3000),
  });
  addEventListener("pagehide", followed.close);
}

function replay() {
  let last = {};
  const pictures = data.open.map((change) => (last = { ...last, ...change }));
  const calls = new Set(data.calls);
  let now = 0;
  let timer = 0;

  function show(move) {
    const before = now;
    now = Math.min(Math.max(move, 1), pictures.length);
    draw(pictures[now - 1], now === before + 1);
    by("position").value = now;
    by("position").setAttribute("aria-valuetext", `move ${now} of ${pictures.length}`);
  }
  function stop() {
    clearTimeout(timer);
    timer = 0;
    by("play").textContent = "Play";
  }
  function step() {
    show(now + 1);
    if (now === pictures.length) return stop();
    timer = setTimeout(step, pauseAfter(pictures[now - 1], calls.has(now)));
  }
  function go(move) {
    stop();
    show(move);
  }

  by("position").max = pictures.length;
  by("steps").hidden = false;
  by("position").addEventListener("input", (event) => go(Number(event.target.value)));
  by("back").addEventListener("click", () => go(now - 1));
  by("on").addEventListener("click", () => go(now + 1));
  by("play").addEventListener("click", () => {
    if (timer) return stop();
    by("play").textContent = "Stop";
    if (now === pictures.length) now = 0;
    step();
  });
  const asked = Number(new URLSearchParams(location.search).get("move"));
  show(asked ? asked - data.first + 1 : pictures.length);
}

by("board").hidden = false;
if (data.stream) follow();
else replay();
