// A page that follows what it shows: it is requested again now and then, and what has changed in #live is changed here.

const live = document.getElementById("live");
const button = document.getElementById("live-pause");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const BOLD = 2000; // milliseconds that a changed figure is bold
const SLOWEST = 8; // how many times as long it waits while the service does not answer

let timer = 0;
let failures = 0;
let isPaused = false;
let asking = null;

// A link with another address is another link.
const keyOf = (node) => node.dataset?.key ?? (node.nodeName === "A" ? node.getAttribute("href") : null);
const isSame = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

// Makes `old` like `fresh` with as few changes as possible, so that focus, scrolling and opened parts stay.
function follow(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data === fresh.data) return;
    const figure = old.parentElement.closest("td, .figure");
    const isNews = old.data.trim() !== fresh.data.trim();
    old.data = fresh.data;
    if (figure && isNews) mark(figure);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) return;
  for (const { name } of Array.from(old.attributes)) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && name !== "open") old.setAttribute(name, value);
  }
  followChildren(old, fresh);
}

function followChildren(old, fresh) {
  const byKey = new Map();
  for (const child of old.childNodes) if (keyOf(child) !== null) byKey.set(keyOf(child), child);
  let at = old.firstChild;
  for (const wanted of Array.from(fresh.childNodes)) {
    const known = keyOf(wanted) === null ? at : byKey.get(keyOf(wanted));
    if (known && isSame(known, wanted)) {
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      follow(known, wanted);
    } else {
      old.insertBefore(document.importNode(wanted, true), at);
      // What stood here without a key is another thing.
      if (at && keyOf(at) === null && keyOf(wanted) === null) {
        const gone = at;
        at = at.nextSibling;
        gone.remove();
      }
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function mark(figure) {
  figure.classList.add("changed");
  setTimeout(() => figure.classList.remove("changed"), BOLD);
}

const rowPlaces = () => new Map(Array.from(live.querySelectorAll("tr[data-key]"), (row) => [row, row.getBoundingClientRect().top]));

// Rows that have changed places slide there.
function slideRows(before, scrolled) {
  if (calm.matches) return;
  for (const [row, top] of rowPlaces()) {
    const shift = before.has(row) ? before.get(row) - top - (scrollY - scrolled) : 0;
    if (shift) row.animate([{ translate: `0px ${shift}px` }, { translate: "0px 0px" }], { duration: 250, easing: "ease-out" });
  }
}

async function ask() {
  asking = new AbortController();
  try {
    // The server answers 304 where nothing has changed, and the browser gives what it has.
    const answer = await fetch(location.pathname + location.search, { cache: "no-cache", signal: asking.signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("live");
    if (!fresh) throw new Error("another page");
    const before = rowPlaces();
    const scrolled = scrollY;
    const focused = document.activeElement;
    follow(live, fresh);
    // Moving an element takes the focus from it.
    if (live.contains(focused) && document.activeElement !== focused) focused.focus({ preventScroll: true });
    slideRows(before, scrolled);
    failures = 0;
  } catch {
    if (!asking.signal.aborted) failures++;
  }
  asking = null;
  wait();
}

function wait() {
  clearTimeout(timer);
  const seconds = Number(live.dataset.refresh);
  if (button) button.hidden = !seconds;
  if (!seconds || isPaused || document.hidden) return;
  timer = setTimeout(ask, 1000 * seconds * Math.min(2 ** failures, SLOWEST));
}

function halt() {
  clearTimeout(timer);
  asking?.abort();
}

button?.addEventListener("click", () => {
  isPaused = !isPaused;
  button.textContent = isPaused ? "Follow" : "Pause";
  if (isPaused) halt();
  else ask();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) halt();
  else if (live.dataset.refresh && !isPaused && !asking) ask();
});
wait();
