// The page of a game in progress.

const data = JSON.parse(by("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

let bottom = 0;

const page = {
  draw: (picture, moving) => drawBoard(data, picture, bottom, moving),
  said(change, before) {
    logChange(change, before);
    speak(change.lines);
  },
  log(lines) {
    by("hand-log").replaceChildren();
    writeLog(lines);
  },
  tell(buffered, isOver) {
    const moves = buffered === 1 ? "1 move" : `${buffered} moves`;
    by("state").textContent = isOver && !buffered ? "over" : buffered > 1 ? `${moves} behind` : "live";
    by("catch-up").hidden = buffered < 3;
  },
  watched(count) {
    by("spectators").textContent = `${count} spectator${count === 1 ? "" : "s"}`;
  },
  lost() {
    by("state").textContent = "Reconnecting…";
  },
  // The same address has the replay from now on, or says when it will.
  over: () => location.reload(),
};

for (const id of ["board", "views", "hand"]) by(id).hidden = false;
document.body.classList.add("scripted");
page.draw(data.picture, false);
const followed = followTable(data, page);
by("turn").addEventListener("click", () => {
  bottom = (bottom + 1) % data.names.length;
  page.draw(followed.picture(), false);
});
by("catch-up").addEventListener("click", followed.catchUp);
