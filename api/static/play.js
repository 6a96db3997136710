// The table of a person who plays: the board, the question, and the actions as buttons.

const data = JSON.parse(by("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

const ARMED_MS = 3000;
const CALM_FASTER = 6; // than with motion
const LOST = "Reconnecting…";
const KEPT = "Your answer is kept, and sent once the connection is back.";
const RETRY_MS = 2000;
const SENDING_MS = 10_000;

let table = data.table;
let picture = table.picture;
let buffer = [];
let timer = 0;
let answer = null; // what was chosen, until the service has taken it
let isSending = false;
let asking = new AbortController(); // ends the request for news
let retry = () => {};
let shownChoices = "";
let received = performance.now();
let announced = "";
let hasArrived = false; // whether there has been a question since the page was opened
let warned = "";

const panelNow = () => (buffer.length ? null : table.panel);
const endNow = () => (buffer.length ? null : table.end);
const minutes = (ms) => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

function setState(news) {
  const text = table.end?.over ? "over" : news;
  if (by("state").textContent !== text) by("state").textContent = text;
  const lost = text === LOST;
  by("lost").hidden = !lost;
  const words = !lost ? "" : answer ? `${text} ${KEPT}` : text;
  if (by("lost").textContent !== words) by("lost").textContent = words;
}

function tell(line) {
  speak([line]);
  writeLog([line]);
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
    const label = `Play ${nameOf(data, picture, choice.card)}`;
    const button = html("button", { type: "button", class: "card-button", "aria-label": label, "aria-keyshortcuts": number });
    drawn.setAttribute("aria-hidden", "true");
    button.append(drawn);
    button.addEventListener("click", () => send(choice.action));
    item.prepend(button);
  }
}

// The panel

function drawPanel() {
  drawEnd();
  const panel = panelNow();
  const asked = panel !== null && !table.optional;
  by("ask").classList.toggle("waits", asked);
  by("question").textContent = panel ? panel.question : buffer.length || !table.waiting ? "One moment" : table.waiting;
  by("reason").textContent = panel?.reason ?? "";
  drawHelp(panel);
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
  callForTurn(asked);
  if (asked && announced !== table.turn) {
    announced = table.turn;
    ring();
    by("asked").textContent = `${panel.question}. ${Math.round(timeLeft().turn / 1000)} seconds.`;
    // Who has just come to the table begins at the question.
    if (!hasArrived && document.activeElement === document.body) by("question").focus({ preventScroll: true });
    hasArrived = true;
  }
  tick();
}

// What the question means, and what each answer costs.
function drawHelp(panel) {
  by("help-open").hidden = !panel?.help;
  if (!panel?.help) return by("help").hidePopover?.();
  by("help-question").textContent = panel.question;
  by("help-text").textContent = panel.help.text;
  const answers = panel.help.answers.flatMap(({ label, text }) => [html("dt", {}, label), html("dd", {}, text)]);
  by("help-answers").replaceChildren(...answers);
}

// How the game ended, or that it is over for this player.
function drawEnd() {
  const end = endNow();
  const news = end && by("end-words").textContent !== end.headline;
  const inside = by("ask").contains(document.activeElement);
  by("end").hidden = !end;
  by("end").classList.toggle("is-over", end?.over ?? false);
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
    buttons.push(html("label", { class: "check toggle" }, box, html("b", {}, label), html("span", { title: note }, note)));
  }
  if (panel.choices.some((choice) => choice.card)) parts.push(html("p", { class: "note hint" }, "Choose a card of your hand."));
  if (buttons.length) parts.push(html("div", { class: "choices" }, ...buttons));
  return parts;
}

function choiceButton(choice) {
  const label = html("b", {}, choice.label);
  const cost = choice.cost ? html("span", { title: choice.cost }, choice.cost) : null;
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
      ? [html("b", {}, minutes(turn)), html("span", { class: "bank", title: "in the bank" }, ` + ${minutes(bank)}`)]
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
  logChange(change, picture);
  picture = buffer.length ? { ...picture, awaiting: [], question: "", ...change } : { ...table.picture, n: change.n };
  draw(true);
  speak(change.lines);
  const isCall = data.names.some((_, seat) => change[`said${seat}`]?.[0] === "call");
  const pause = pauseAfter(picture, isCall) / (calm.matches ? CALM_FASTER : 1);
  timer = setTimeout(step, pause / Math.max(1, buffer.length / 4));
}

// The same changes can come with the reply to an action and with the poll.
function take(news) {
  if (news.version < table.version) return;
  buffer.push(...news.changes.filter((change) => change.n >= table.next));
  table = news;
  received = performance.now();
  if (!buffer.length) {
    picture = { ...table.picture, n: picture.n };
    draw(false);
  } else if (!timer) {
    step();
  } else {
    draw(false);
  }
}

function send(action) {
  if (!table.turn || answer) return;
  const body = new URLSearchParams(new FormData(by("panel")));
  body.set("action", action);
  answer = body;
  // What this player does is shown without a pause before it.
  clearTimeout(timer);
  timer = 0;
  deliver();
}

// The service takes the answer to a turn once, so it can be sent again until it has been answered.
async function deliver() {
  isSending = true;
  try {
    const request = { method: "POST", body: answer, headers: { Accept: "application/json" }, signal: AbortSignal.timeout(SENDING_MS) };
    const reply = await fetch(data.act, request);
    if (reply.status >= 500) throw new Error(String(reply.status));
    const news = await reply.json();
    answer = null;
    setState("connected");
    if (!reply.ok) return tell(news.detail);
    if (news.result !== "accepted") tell("That decision had been made already.");
    take(news);
  } catch {
    setState(LOST);
    asking.abort();
  } finally {
    isSending = false;
  }
}

async function follow() {
  let isLost = false;
  while (!table.end?.over) {
    asking = new AbortController();
    try {
      // The first request after a failure does not wait for news.
      const since = isLost ? "" : `since=${table.version}&`;
      const reply = await fetch(`${data.poll}?${since}after=${table.next}`, { headers: { Accept: "application/json" }, signal: asking.signal });
      if (reply.status === 404) return location.reload();
      if (!reply.ok) throw new Error(String(reply.status));
      setState("connected");
      if (reply.status === 200) take(await reply.json());
      if (answer && !isSending) deliver();
      isLost = false;
    } catch {
      isLost = true;
      setState(LOST);
      await new Promise((resolve) => {
        retry = resolve;
        setTimeout(resolve, RETRY_MS);
      });
    }
  }
  setState("over");
  by("state").classList.remove("live");
}

// Keys

const cardButtons = () => Array.from(document.querySelectorAll("#felt .card-button"));
const choiceButtons = () => Array.from(document.querySelectorAll("#choices .choice"));

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector(":popover-open")) return;
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
addEventListener("offline", () => asking.abort());
addEventListener("online", () => retry());
keep("keys", () => {});
keep("sound", ring);
keep("four", (on) => document.body.classList.toggle("four", on));
draw(false);
setInterval(tick, 250);
follow();
