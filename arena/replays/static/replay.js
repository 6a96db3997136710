// The page: the move that is shown, and navigation between moves.

const data = JSON.parse(document.getElementById("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

// Restores complete pictures from the changes.
const unfolded = (changes) => {
  let last = {};
  return changes.map((change) => (last = { ...last, ...change }));
};
const open = unfolded(data.open);
const seen = data.seen.map(unfolded);
const moves = open.length;
const before = data.first - 1; // the moves on earlier sheets of a long game
const links = Array.from(document.querySelectorAll("#list li a"));
const hands = Array.from(document.querySelectorAll("#list details"));
const calls = new Set(data.calls);

let now = 1;
let view = null; // a seat, or null for open hands
let bottom = 0;
let speed = 1;
let timer = 0;

const pictureOf = (move) => (view === null ? open[move - 1] : { ...open[move - 1], ...seen[view][move - 1] });
const handOf = (move) => data.hands.findIndex(([, first, last]) => first <= move && move <= last);
const within = (move) => Math.min(Math.max(move, 1), moves);

function show(move, { announce = true, remember = true } = {}) {
  const last = now;
  now = within(move);
  const picture = pictureOf(now);
  drawBoard(data, picture, bottom, now === last + 1 && speed < 4);
  links[last - 1].removeAttribute("aria-current");
  links[now - 1].setAttribute("aria-current", "step");
  for (const [at, hand] of hands.entries()) {
    if (at === handOf(now)) hand.open = true;
    else if (at === handOf(last)) hand.open = false;
  }
  reveal(links[now - 1]);
  const slider = by("position");
  slider.value = now;
  slider.setAttribute("aria-valuetext", `move ${now} of ${moves}, hand ${picture.hand}`);
  if (announce) by("spoken").textContent = wordsOf(now);
  if (remember) rememberMove();
}

function rememberMove() {
  try {
    history.replaceState(null, "", `#move-${now + before}`);
  } catch {
    // Browsers limit how often the address may change.
  }
}

// The text of a move without the cards that are hidden from this view.
function wordsOf(move) {
  const copy = links[move - 1].cloneNode(true);
  if (view !== null) {
    for (const secret of copy.querySelectorAll(`.secret:not(.by-${view})`)) secret.textContent = "cards face down ";
  }
  return copy.textContent.trim();
}

// Scrolls only the list, not the page.
function reveal(link) {
  const list = by("list");
  const box = list.getBoundingClientRect();
  const item = link.getBoundingClientRect();
  if (item.top < box.top || item.bottom > box.bottom) list.scrollTop += item.top - box.top - box.height / 2;
}

// Playing

function stop() {
  clearTimeout(timer);
  timer = 0;
  document.body.classList.remove("playing");
  by("play").setAttribute("aria-label", "Play");
}

function start() {
  if (now === moves) show(1);
  document.body.classList.add("playing");
  by("play").setAttribute("aria-label", "Stop");
  wait();
}

function wait() {
  const pause = pauseAfter(open[now - 1], calls.has(now));
  timer = setTimeout(() => {
    // The address is written when playing stops.
    show(now + 1, { announce: calls.has(now + 1) || open[now].ended !== null, remember: false });
    if (now < moves) wait();
    else go(now);
  }, pause / speed);
}

const toggle = () => (timer ? go(now) : start());

function go(move) {
  stop();
  show(move);
}

function goHands(step) {
  const at = handOf(now);
  const [, first, last] = data.hands[at];
  if (step < 0 && now > first) go(first);
  else if (data.hands[at + step]) go(data.hands[at + step][1]);
  else if (by(step < 0 ? "sheet-back" : "sheet-on")) by(step < 0 ? "sheet-back" : "sheet-on").click();
  else go(step < 0 ? first : last);
}

// Moves on to the next move that starts a trick or a hand.
function goTricks(step) {
  const key = (move) => `${open[move - 1].hand} ${open[move - 1].trick}`;
  let move = within(now + step);
  if (step > 0) while (move < moves && key(move) === key(now)) move++;
  else while (move > 1 && key(move) === key(move - 1)) move--;
  go(move);
}

// The parts of the page

function drawTrack() {
  const track = by("track");
  const at = (move) => (moves > 1 ? ((move - 1) / (moves - 1)) * 100 : 0);
  for (const [, first, last] of data.hands) {
    track.append(svg("line", { x1: `${at(first)}%`, x2: `${Math.max(at(last), at(first) + 0.2)}%`, y1: 20, y2: 20 }));
  }
  for (const move of data.calls) track.append(svg("circle", { cx: `${at(move)}%`, cy: 5, r: 2.5 }));
}

function chooseView() {
  const chosen = by("view").value;
  view = chosen === "" ? null : Number(chosen);
  if (view !== null) bottom = view;
  by("list").dataset.view = chosen;
  for (const secret of document.querySelectorAll("#list .secret")) {
    secret.classList.toggle("closed", view !== null && !secret.classList.contains(`by-${view}`));
  }
  show(now, { announce: false });
}

function setSpeed(value) {
  speed = value;
  for (const button of by("speeds").children) button.setAttribute("aria-pressed", String(Number(button.value) === value));
}

function changeSpeed(step) {
  const buttons = Array.from(by("speeds").children);
  const at = buttons.findIndex((button) => Number(button.value) === speed);
  const button = buttons[at + step];
  if (button) setSpeed(Number(button.value));
}

// Toggles between open hands and the view of the seat at the bottom.
function swapView() {
  by("view").value = view === null ? String(bottom) : "";
  chooseView();
}

async function copyLink() {
  rememberMove();
  const button = by("copy");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied: see the address";
  }
  by("spoken").textContent = button.textContent;
  setTimeout(() => (button.textContent = "Copy link"), 2000);
}

function fromAddress() {
  const match = /^#move-(\d{1,6})$/.exec(location.hash);
  if (!match) return null;
  const move = Number(match[1]) - before;
  const search = `?move=${match[1]}`;
  if (by("sheets") && move !== within(move) && location.search !== search) location.replace(search + location.hash);
  return within(move);
}

const KEYS = {
  ArrowLeft: (event) => (event.shiftKey ? goTricks(-1) : go(now - 1)),
  ArrowRight: (event) => (event.shiftKey ? goTricks(1) : go(now + 1)),
  ArrowUp: () => goHands(-1),
  ArrowDown: () => goHands(1),
  Home: () => go(1),
  End: () => go(moves),
  " ": toggle,
};

// These shortcuts can be switched off (keys.js).
const SIGNS = {
  "+": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
  "−": () => changeSpeed(-1),
  o: swapView,
  s: () => by("turn").click(),
  l: copyLink,
  v: () => by("verify").hidden || by("verify").click(),
};

function actionOf(event) {
  if (event.key in KEYS) return KEYS[event.key];
  const isOff = document.documentElement.dataset.letters === "off";
  return isOff ? undefined : SIGNS[event.key.toLowerCase()];
}

function onKey(event) {
  const action = actionOf(event);
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !action) return;
  if (document.querySelector("dialog[open]")) return;
  const tag = event.target.tagName;
  // These elements handle the key themselves.
  if (tag === "SELECT" || tag === "INPUT") return;
  if (event.key === " " && ["BUTTON", "SUMMARY"].includes(tag)) return;
  event.preventDefault();
  action(event);
}

async function verify() {
  const button = by("verify");
  button.hidden = true;
  by("check-title").textContent = "Checking the deals…";
  const began = performance.now();
  try {
    const results = await checkDeals(data.fair, open, before);
    report(results, performance.now() - began);
  } catch (error) {
    button.hidden = false;
    by("check-title").textContent = "The deals could not be checked";
    by("check-text").textContent = `The browser said: ${error.message}. Run ${data.fair.command} instead.`;
  }
}

function report(results, duration) {
  const fits = results.every((result) => result.fits);
  by("check").dataset.state = fits ? "fits" : "differs";
  by("check-title").textContent = fits ? "This deal is verified" : "This deal does not match";
  by("check-text").textContent = fits
    ? `Checked in your browser in ${Math.max(1, Math.round(duration))} ms.`
    : `Do not trust this page. Run ${data.fair.command} on the record, and compare its hash with the published one.`;
  by("results").replaceChildren(
    ...results.map(({ fits: good, what, details }) =>
      html(
        "li",
        { class: good ? "good" : "bad" },
        svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("circle", { cx: 12, cy: 12, r: 10 }), svg("path", { d: good ? "M7 12.5l3.5 3.5 6.5-7.5" : "M8 8l8 8M16 8l-8 8" })),
        html("div", {}, html("p", {}, good ? what : `Does not hold: ${what[0].toLowerCase()}${what.slice(1)}`), ...details.map((detail) => html("p", { class: "detail" }, detail))),
      ),
    ),
  );
}

function startPage() {
  by("view").append(
    html("option", { value: "" }, "All hands open"),
    ...data.names.map((name, seat) => html("option", { value: seat }, `As ${name} saw it`)),
  );
  by("view").addEventListener("change", chooseView);
  by("turn").addEventListener("click", () => {
    bottom = (bottom + 1) % data.names.length;
    show(now, { announce: false });
  });
  by("copy").addEventListener("click", copyLink);
  const actions = { first: () => go(1), back: () => go(now - 1), on: () => go(now + 1), last: () => go(moves), play: toggle, "hand-back": () => goHands(-1), "hand-on": () => goHands(1), verify };
  for (const [id, action] of Object.entries(actions)) by(id).addEventListener("click", action);
  for (const button of by("speeds").children) button.addEventListener("click", () => setSpeed(Number(button.value)));
  by("position").max = moves;
  by("position").addEventListener("input", (event) => {
    stop();
    show(Number(event.target.value), { remember: false });
  });
  by("position").addEventListener("change", rememberMove);
  by("list").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(links.indexOf(link) + 1);
  });
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    const move = fromAddress();
    if (move !== null && move !== now) go(move);
  });
  // From now on, the address of a move selects a position of the table instead of scrolling the page.
  for (const item of document.querySelectorAll("#list li")) item.removeAttribute("id");
  history.scrollRestoration = "manual";
  scrollTo(0, 0);
  for (const id of ["board", "views"]) by(id).hidden = false;
  for (const hand of hands) hand.open = false;
  document.body.classList.add("scripted");
  drawTrack();
  setSpeed(1);
  show(fromAddress() ?? 1, { announce: false, remember: false });
  if (globalThis.crypto?.subtle) by("verify").hidden = false;
  else by("check-text").textContent = `This browser checks nothing on pages without https. Run ${data.fair.command} instead.`;
}

startPage();
