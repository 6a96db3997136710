// The table of a person who plays: the board, the question, and the actions as buttons.

const data = JSON.parse(by("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

const ARMED_MS = 3000;
const MOST_TOLD = 7;
const LOST = "Reconnecting…";

let table = data.table;
let picture = table.picture;
let buffer = [];
let timer = 0;
let sent = ""; // the turn whose answer is on its way
let shownChoices = "";
let received = performance.now();
let announced = "";
let warned = "";

const panelNow = () => (buffer.length ? null : table.panel);
const endNow = () => (buffer.length ? null : table.end);
const minutes = (ms) => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

function setState(text) {
  if (by("state").textContent !== text) by("state").textContent = text;
  const lost = text === LOST;
  by("lost").hidden = !lost;
  by("lost").textContent = lost ? text : "";
}

function tell(words) {
  if (!words) return;
  by("spoken").textContent = words;
  by("told").append(html("li", {}, words));
  while (by("told").children.length > MOST_TOLD) by("told").firstChild.remove();
}

// The board and the cards to click

function draw(moving) {
  const inside = document.activeElement?.closest("#felt, #choices");
  const turn = by("turn-id").value;
  const at = cardButtons().indexOf(document.activeElement);
  drawBoard(data, picture, data.seat, moving);
  drawPanel();
  drawHand();
  if (!inside || document.activeElement !== document.body) return;
  // Within a turn the chosen card stays chosen; else the next Tab goes on from the question.
  const again = turn === table.turn ? cardButtons()[at] : null;
  (again ?? by(endNow() ? "end-words" : "question")).focus({ preventScroll: true });
}

function drawHand() {
  const panel = panelNow();
  if (!panel?.choices.some((choice) => choice.card)) return;
  let number = 0;
  for (const item of document.querySelectorAll(`#felt .seat[data-seat="${data.seat}"] .hand li`)) {
    const drawn = item.firstElementChild;
    const choice = panel.choices.find(({ card }) => card === drawn.dataset.card);
    if (!choice) {
      item.classList.add("illegal");
      continue;
    }
    number += 1;
    const label = `Play ${data.cards[choice.card]}`;
    const button = html("button", { type: "button", class: "card-button", "aria-label": label, "aria-keyshortcuts": number });
    const title = data.cards[choice.card].split(", ")[1];
    if (title) item.append(html("span", { class: "title", "aria-hidden": "true" }, title));
    drawn.setAttribute("aria-hidden", "true");
    button.append(drawn);
    button.addEventListener("click", () => send(choice.action));
    item.append(button);
  }
}

// The panel

function drawPanel() {
  drawEnd();
  const panel = panelNow();
  const asked = panel !== null && !table.optional;
  by("ask").classList.toggle("waits", asked);
  by("question").textContent = panel ? panel.question : buffer.length || !table.waiting ? "One moment" : table.waiting;
  by("fallback").textContent = asked ? table.fallback : "";
  if (by("paused").textContent !== table.paused) by("paused").textContent = table.paused;
  by("turn-id").value = table.turn;
  by("after").value = table.next;
  by("time-bar").hidden = !asked;
  // Within a turn they stay, with what was chosen.
  const choices = JSON.stringify([table.turn, table.optional, panel]);
  if (choices !== shownChoices) {
    shownChoices = choices;
    by("choices").replaceChildren(...(panel ? choicesOf(panel) : []));
  }
  if (asked && announced !== table.turn) {
    announced = table.turn;
    by("asked").textContent = `${panel.question}. ${Math.round(timeLeft().turn / 1000)} seconds.`;
  }
  tick();
}

// How the game ended, or that it is over for this player.
function drawEnd() {
  const end = endNow();
  const news = end && by("end-words").textContent !== end.headline;
  const inside = by("ask").contains(document.activeElement);
  by("end").hidden = !end;
  by("ask").hidden = by("leave").hidden = end !== null;
  by("replay").hidden = table.state !== "finished";
  if (!end) return;
  by("end-words").textContent = end.headline;
  by("end-more").textContent = end.detail;
  drawEndOf(table);
  if (!news) return;
  by("asked").textContent = `${end.headline}. ${end.detail}`;
  if (inside) by("end-words").focus({ preventScroll: true });
}

function choicesOf(panel) {
  const parts = [];
  const buttons = panel.choices.filter((choice) => !choice.card).map(choiceButton);
  if (panel.slider) {
    const { label, low, high, start } = panel.slider;
    const shown = html("output", { for: "number" }, String(start));
    const slider = html("input", { type: "range", id: "number", name: "number", min: low, max: high, value: start });
    slider.addEventListener("input", () => (shown.textContent = slider.value));
    parts.push(html("label", { for: "number" }, `${label}: `, shown), slider);
  }
  if (panel.toggle) {
    const { label, note, word, other } = panel.toggle;
    const box = html("input", { type: "checkbox", name: "toggle", id: "toggle", value: `${word}:${other}` });
    buttons.push(html("label", { class: "check toggle" }, box, html("b", {}, label), html("span", {}, note)));
  }
  if (panel.choices.some((choice) => choice.card)) parts.push(html("p", { class: "note hint" }, "Choose a card of your hand."));
  if (buttons.length) parts.push(html("div", { class: "choices" }, ...buttons));
  return parts;
}

function choiceButton(choice) {
  const label = html("b", {}, choice.label);
  const cost = choice.cost ? html("span", {}, choice.cost) : null;
  const optional = table.optional ? " optional" : "";
  const button = html("button", { type: "button", class: `choice ${choice.tone}${optional}` }, label, cost);
  let armed = 0;
  button.addEventListener("click", (event) => {
    const touched = event.detail > 0 && matchMedia("(pointer: coarse)").matches;
    if (choice.tone === "call" && touched && performance.now() - armed > ARMED_MS) {
      armed = performance.now();
      label.textContent = `${choice.label.replace("!", "")}? Tap again`;
      setTimeout(() => (label.textContent = choice.label), ARMED_MS);
      return;
    }
    send(choice.action);
  });
  return button;
}

// Time

function timeLeft() {
  const gone = performance.now() - received;
  const turn = Math.max(0, (table.left_ms ?? 0) - gone);
  const bank = Math.max(0, (table.bank_ms ?? 0) - Math.max(0, gone - (table.left_ms ?? 0)));
  return { turn, bank };
}

function tick() {
  const { turn, bank } = timeLeft();
  const asked = panelNow() !== null && !table.optional;
  const others = !asked && !buffer.length && table.others_ms !== null;
  by("time").replaceChildren(
    ...(asked
      ? [html("b", {}, minutes(turn)), ` then ${minutes(bank)} in the bank`]
      : others
        ? [`${minutes(table.others_ms - (performance.now() - received))} left`]
        : []),
  );
  by("time-bar").value = turn / 1000;
  by("time-bar").classList.toggle("late", turn + bank < 5000);
  if (asked && turn + bank < 10000 && warned !== table.turn) {
    warned = table.turn;
    by("asked").textContent = "10 seconds left.";
  }
}

// News

function step() {
  clearTimeout(timer);
  timer = 0;
  const change = buffer.shift();
  if (!change) return;
  picture = buffer.length ? { ...picture, awaiting: [], question: "", ...change } : table.picture;
  draw(true);
  tell(toldChange(data, change));
  if (!buffer.length) return;
  const isCall = data.names.some((_, seat) => change[`said${seat}`]?.[0] === "call");
  timer = setTimeout(step, pauseAfter(picture, isCall) / Math.max(1, buffer.length / 4));
}

function take(news, after) {
  if (news.version < table.version) return;
  const fits = after === table.next;
  table = news;
  received = performance.now();
  if (fits) buffer.push(...news.changes);
  if (!fits || calm.matches || !buffer.length) {
    const told = buffer.map((change) => toldChange(data, change)).filter(Boolean);
    buffer = [];
    picture = table.picture;
    draw(false);
    for (const words of told) tell(words);
  } else if (!timer) {
    step();
  }
}

async function send(action) {
  const turn = table.turn;
  if (!turn || sent === turn) return;
  sent = turn;
  const after = table.next;
  try {
    const body = new URLSearchParams(new FormData(by("panel")));
    body.set("action", action);
    const reply = await fetch(data.act, { method: "POST", body, headers: { Accept: "application/json" } });
    if (!reply.ok) {
      const problem = await reply.json();
      tell(problem.detail);
    } else {
      const news = await reply.json();
      if (news.result !== "accepted") tell("That decision had been made already.");
      take(news, after);
    }
    setState("connected");
  } catch {
    setState(LOST);
  } finally {
    if (sent === turn) sent = "";
  }
}

async function follow() {
  while (!table.end?.over) {
    const after = table.next;
    try {
      const reply = await fetch(`${data.poll}?since=${table.version}&after=${after}`, { headers: { Accept: "application/json" } });
      if (reply.status === 404) return location.reload();
      if (!reply.ok) throw new Error(String(reply.status));
      setState("connected");
      if (reply.status === 200) take(await reply.json(), after);
    } catch {
      setState(LOST);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
  setState("over");
  by("state").classList.remove("live");
}

// Keys

const cardButtons = () => Array.from(document.querySelectorAll("#felt .card-button"));
const choiceButtons = () => Array.from(document.querySelectorAll("#choices .choice"));

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const { tagName, type } = event.target;
  if (["SELECT", "TEXTAREA"].includes(tagName) || (tagName === "INPUT" && type !== "checkbox")) return;
  const cards = cardButtons();
  const places = cards.length ? cards : choiceButtons();
  let chosen = null;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const at = cards.indexOf(document.activeElement);
    if (at >= 0) chosen = cards[(at + (event.key === "ArrowLeft" ? cards.length - 1 : 1)) % cards.length];
  } else if (!by("keys").checked) {
    return;
  } else if (/^[1-9]$/.test(event.key)) {
    chosen = places[Number(event.key) - 1];
  } else if (event.key.toLowerCase() === "t") {
    chosen = document.querySelector("#choices .choice.call");
  } else if (event.key.toLowerCase() === "f") {
    document.getElementById("toggle")?.click();
  }
  if (!chosen) return;
  event.preventDefault();
  chosen.focus();
}

// Settings that stay in this browser

function keep(id, apply) {
  const box = by(id);
  try {
    box.checked = (localStorage.getItem(`play-${id}`) ?? String(box.checked)) === "true";
  } catch {
    // Without storage the settings last as long as the page.
  }
  apply(box.checked);
  box.addEventListener("change", () => {
    apply(box.checked);
    try {
      localStorage.setItem(`play-${id}`, String(box.checked));
    } catch {
      // As above.
    }
  });
}

by("panel").addEventListener("submit", (event) => event.preventDefault());
by("question").tabIndex = -1;
for (const part of document.querySelectorAll(".scripted-only, #board")) part.hidden = false;
document.body.classList.add("scripted");
document.addEventListener("keydown", onKey);
keep("keys", () => {});
keep("four", (on) => document.body.classList.toggle("four", on));
draw(false);
setInterval(tick, 250);
follow();
