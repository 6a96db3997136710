// The end of a game at its table: what it says beside the result, and the link to share.

function drawEndOf({ end, state }) {
  const finished = state === "finished";
  by("end-length").textContent = end.length;
  by("moments").hidden = !finished;
  by("share").hidden = !finished || "never" in by("share").dataset;
  if (by("challenge")) by("challenge").hidden = !finished;
  by("swing").hidden = !end.swing;
  by("swing-words").textContent = end.swing;
  if (end.over) drawWent(end);
}

function drawWent({ hands, chances }) {
  by("went").hidden = !hands.length;
  by("chances").hidden = !chances.points;
  by("chances-plot").setAttribute("aria-label", chances.words);
  by("chances-line").setAttribute("points", chances.points);
  const rows = hands.map(({ number, text, score }) => html("li", { value: number }, html("span", {}, text), " ", html("b", {}, score)));
  by("hands").replaceChildren(...rows);
}

const isPublic = () => by("share").classList.contains("public");

async function share(link) {
  const title = document.title;
  if (navigator.share) {
    await navigator.share({ title, url: link });
    return "";
  }
  await navigator.clipboard.writeText(link);
  return "The link to the replay is copied.";
}

// The game is public before its link is given away.
async function publishAndShare(form) {
  if (!isPublic()) {
    const headers = { Accept: "application/json" };
    const reply = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers });
    const found = await reply.json();
    if (!reply.ok) return found.detail;
    form.classList.toggle("public", found.public);
  }
  const link = by("replay").href;
  const waits = isPublic() ? "" : " Others see the game once everybody who played it shares it.";
  try {
    return (await share(link)) + waits;
  } catch {
    return `The link to the replay: ${link}${waits}`;
  }
}

by("share").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    by("shared").textContent = await publishAndShare(event.target);
  } catch {
    by("shared").textContent = "The service could not be reached. Try again.";
  }
});
