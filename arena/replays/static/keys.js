// The keyboard shortcuts of the page. `?` lists them; single-letter shortcuts can be switched off there, per browser.
{
  const SETTING = "letters";
  const root = document.documentElement;

  // Storage can be unavailable; the switch then applies only to this page.
  function stored(value) {
    try {
      if (value !== undefined) localStorage.setItem(SETTING, value);
      return localStorage.getItem(SETTING);
    } catch {
      return null;
    }
  }

  const linkTo = (selector) => document.querySelector(`.links ${selector}`)?.getAttribute("href");
  const isSite = document.querySelector(".links") !== null;
  const isReplay = document.getElementById("controls") !== null;
  const places = { h: isSite ? "/" : null, l: linkTo("a[href^='/leaderboards/']"), t: linkTo("a[href='/tournaments']"), p: linkTo("a[href='/play']") };
  const names = { h: "home", l: "leaderboard", t: "tournaments", p: "play" };
  const there = Object.keys(places).filter((letter) => places[letter]);

  const rows = [];
  if (isSite) {
    rows.push(["/", "search"]);
    for (const letter of there) rows.push([`g ${letter}`, `go to: ${names[letter]}`]);
  }
  if (isReplay) {
    rows.push(["← →", "one move; with Shift one trick"], ["↑ ↓", "one hand"], ["Home End", "first move, last move"]);
    rows.push(["Space", "play, stop"], ["+ −", "faster, slower"], ["O", "open hands, or one seat's view"]);
    rows.push(["S", "turn the table"], ["L", "copy the link to this move"], ["V", "verify the deal"]);
  }
  rows.push(["?", "these keys"], ["Esc", "close"]);

  function made(tag, text, attributes = {}) {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  let dialog = null;

  function makeDialog() {
    dialog = made("dialog", "", { class: "keys-dialog", "aria-labelledby": "keys-title" });
    const list = made("dl", "");
    for (const [keys, text] of rows) {
      const term = made("dt", "");
      for (const key of keys.split(" ")) term.append(made("kbd", key), " ");
      list.append(term, made("dd", text));
    }
    const box = made("input", "", { type: "checkbox", id: "letters" });
    box.checked = root.dataset.letters !== "off";
    box.addEventListener("change", () => {
      root.dataset.letters = box.checked ? "on" : "off";
      stored(root.dataset.letters);
    });
    const label = made("label", "", { for: "letters" });
    label.append(box, " Single letters and signs are keys");
    const close = made("button", "Close", { type: "button" });
    close.addEventListener("click", () => dialog.close());
    // If nothing had focus before, the browser leaves it on a hidden element, which receives no keys.
    dialog.addEventListener("close", () => dialog.contains(document.activeElement) && document.activeElement.blur());
    dialog.append(made("h2", "Keys of this page", { id: "keys-title" }), list, label, close);
    document.body.append(dialog);
  }

  function show() {
    if (!dialog) makeDialog();
    if (!dialog.open) dialog.showModal();
  }

  function search() {
    const fields = Array.from(document.querySelectorAll("input[type=search]"));
    const visible = fields.filter((one) => one.checkVisibility());
    // What the page itself is about comes before the search in the header.
    let field = visible.find((one) => one.closest("main")) || visible[0];
    if (!field && fields.length) {
      // On phones the link is in a menu.
      field = fields.find((one) => one.closest("details"));
      if (field) field.closest("details").open = true;
    }
    if (field) field.focus();
    else location.assign("/search#find");
  }

  let isGoing = false; // after g

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (root.dataset.letters === "off" || dialog?.open) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const wasGoing = isGoing;
    isGoing = false;
    if (event.key === "?") show();
    else if (event.key === "/" && isSite) search();
    else if (event.key === "g" && there.length) isGoing = true;
    else if (wasGoing && there.includes(event.key)) location.assign(places[event.key]);
    else return;
    event.preventDefault();
  });

  root.dataset.letters = stored() === "off" ? "off" : "on";
  for (const button of document.querySelectorAll(".keys-open")) {
    button.hidden = false;
    button.addEventListener("click", show);
  }
  if (location.hash === "#find") search();
}
