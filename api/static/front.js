// The table on the front page: a live game as it goes on, or the last hand of the latest one again and again.

const REST = 5000; // milliseconds at the end of a hand or of a game
const SLOWER = 1.4; // than a replay

let data = null;
let running = null; // what moves the table now, with its close()
let isPaused = calm.matches;

const scoreOf = (picture) => (hasSides(data) ? picture.score.join("–") : `hand ${picture.hand}`);

function draw(picture, moving) {
  drawBoard(data, picture, 0, moving);
  by("front-score").textContent = scoreOf(picture);
}

// The moves of the last hand, from the position that the page shows.
function playAgain() {
  let timer = 0;
  let at = data.steps.length;
  let picture = data.picture;
  function step() {
    let pause = REST;
    if (at === data.steps.length) {
      at = 0;
      picture = data.start;
      draw(picture, false);
      pause = 900;
    } else {
      const change = data.steps[at++];
      picture = { ...picture, ...change };
      draw(picture, true);
      if (at < data.steps.length) pause = SLOWER * pauseAfter(picture, isCall(data.names, picture, change));
    }
    timer = setTimeout(step, pause);
  }
  timer = setTimeout(step, REST);
  return { close: () => clearTimeout(timer) };
}

// When the game is over, the page has another table.
function another() {
  let timer = setTimeout(async () => {
    const answer = await fetch(location.pathname).catch(() => null);
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const front = page.getElementById("front");
      // The page has no table until the record of the first game is stored. Nobody loses the focus.
      if (front?.querySelector("#data") && timer && !by("front").contains(document.activeElement)) {
        by("front").replaceWith(front);
        running = null;
        startTable();
        return;
      }
    }
    if (timer) running = another();
  }, REST);
  return {
    close() {
      clearTimeout(timer);
      timer = 0;
    },
  };
}

const followed = {
  draw,
  said() {},
  log() {},
  tell(_, isOver) {
    by("front-tag").textContent = isOver ? "over" : "live";
  },
  lost() {
    by("front-tag").textContent = "Reconnecting…";
  },
  over() {
    running = another();
  },
};

// A tab that nobody looks at holds no stream.
function run() {
  const moves = !isPaused && !document.hidden;
  by("front-pause").textContent = isPaused ? (data.stream ? "Follow" : "Play") : "Pause";
  if (moves && !running) running = data.stream ? followTable(data, followed) : playAgain();
  if (!moves && running) {
    running.close();
    running = null;
  }
}

function startTable() {
  if (!by("data")) return;
  data = JSON.parse(by("data").textContent);
  data.partners = data.teams.some((team) => team.length > 1);
  // With reduced motion a live table still follows its game, whose cards then do not move.
  if (data.stream && calm.matches) isPaused = false;
  by("drawn").hidden = true;
  for (const id of ["board", "front-pause"]) by(id).hidden = false;
  by("front-pause").addEventListener("click", () => {
    isPaused = !isPaused;
    run();
  });
  draw(data.picture, false);
  run();
}

document.addEventListener("visibilitychange", () => data && run());
startTable();
