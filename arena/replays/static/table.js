// The table of one picture (arena/games/pictures.py): seats, cards, calls, stake, score.

// The centres of seats in percent of the felt's width and height, clockwise from the bottom, by number of seats.
const SEATS = {
  2: [[50, 85], [50, 15]],
  3: [[50, 85], [20, 27], [80, 27]],
  4: [[50, 85], [14, 50], [50, 15], [86, 50]],
  5: [[50, 85], [14, 59], [28, 21], [72, 21], [86, 59]],
  6: [[50, 86], [13, 66], [17, 22], [50, 18.5], [83, 22], [87, 66]],
  7: [[50, 86], [13, 76], [11, 43], [32, 18.5], [68, 18.5], [89, 43], [87, 76]],
  8: [[50, 86], [13, 79], [11, 49], [20, 18.5], [50, 18.5], [80, 18.5], [89, 49], [87, 79]],
};
const TRICK = {
  2: [[50, 57], [50, 36]],
  3: [[50, 58], [38, 43], [62, 43]],
  4: [[50, 58], [36, 48], [50, 36], [64, 48]],
  5: [[50, 60], [33, 57], [40, 40], [60, 40], [66, 56]],
  6: [[50, 66], [33, 57], [33, 41], [50, 36], [67, 41], [67, 57]],
  7: [[50, 66], [34, 59], [31, 45], [41, 36], [59, 36], [69, 45], [66, 59]],
  8: [[50, 66], [36, 61], [30, 49], [36, 37], [50, 36], [64, 37], [70, 49], [64, 61]],
};
const PHONE_SEATS = {
  2: [[50, 85], [50, 15]],
  3: [[50, 85], [24, 22], [76, 22]],
  4: [[50, 86], [17, 50], [50, 15], [83, 50]],
  5: [[50, 87], [17, 57], [27, 17], [73, 17], [83, 57]],
  6: [[50, 90], [17, 58], [17, 29], [50, 13], [83, 29], [83, 58]],
  7: [[50, 90], [17, 60], [17, 37], [29, 13], [71, 13], [83, 37], [83, 60]],
  8: [[50, 90], [17, 60], [17, 37], [17, 13], [50, 13], [83, 13], [83, 37], [83, 60]],
};
const PHONE_TRICK = {
  2: [[50, 58], [50, 38]],
  3: [[50, 60], [38, 45], [62, 45]],
  4: [[50, 60], [37, 48], [50, 36], [63, 48]],
  5: [[50, 63], [38, 57], [44, 38], [56, 38], [62, 57]],
  6: [[50, 64], [38, 58], [38, 40], [50, 34], [62, 40], [62, 58]],
  7: [[50, 65], [38, 64], [38, 49], [44, 34], [56, 34], [62, 49], [62, 64]],
  8: [[50, 65], [38, 64], [38, 49], [38, 34], [50, 34], [62, 34], [62, 49], [62, 64]],
};
// Partners sit around a cross. The cards of the trick are offset from the centre in multiples of their size.
const PARTNERS = { desktop: [[50, 85.5], [11.5, 50], [50, 14.5], [88.5, 50]], phone: [[50, 87], [13.5, 50], [50, 13], [86.5, 50]] };
const CROSS = [["-50%", "4%"], ["-150%", "-50%"], ["-50%", "-104%"], ["50%", "-50%"]];
const MOST_STROKES = 15;

// The position of a bubble beside its plate: on the felt, and over nothing else. Of two that face each other, one is
// higher.
function bubbleSide([x, y], { phone, many, partners }) {
  if (y > 80 || (partners && y < 30) || (!phone && y < 16)) return "right";
  if (!phone && !many && y < 30) return x < 50 ? "right" : "left-high";
  return "above";
}

function place(element, [x, y], [phoneX, phoneY]) {
  const style = { "--x": x, "--y": y, "--phone-x": phoneX, "--phone-y": phoneY };
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, `${value}%`);
}

// Two sides score points; otherwise each seat has lives.
const hasSides = (data) => data.target !== null;

// The cards that have names in this hand, strongest first.
const titlesOf = (data, picture) => picture.turned?.titles ?? data.titles;

function nameOf(data, picture, card) {
  const title = picture.turned?.titles[card];
  return title ? `${data.cards[card]}, ${title}` : data.cards[card];
}

const sideOf = (data, seat) => data.teams.findIndex((team) => team.includes(seat));

function markOf(data, seat) {
  if (!hasSides(data)) return null;
  return html("span", { class: `mark side-${sideOf(data, seat)}`, "aria-hidden": "true" });
}

function drawTable(felt, data, picture, bottom) {
  const size = data.names.length;
  const kinds = [data.partners && "partners", hasSides(data) && "scored", size > 5 && "many"].filter(Boolean);
  felt.className = ["felt", `seats-${size}`, ...kinds].join(" ");
  const children = [drawTurned(data, picture), drawTricks(data, picture)];
  for (let step = 0; step < size; step++) {
    const seat = (bottom + step) % size;
    const at = data.ccw ? (size - step) % size : step;
    children.push(drawSeat(data, picture, seat, at));
  }
  const next = picture.question === "" ? picture.awaiting : [];
  const lying = picture.lying.map(([seat, card, how]) => [seat, drawLying(data, picture, seat, card, how)]);
  // The place of the next card, unless a card of this seat remains from the previous trick.
  for (const seat of next) {
    if (!lying.some(([other]) => other === seat)) lying.push([seat, html("div", { class: "lying next" })]);
  }
  for (const [seat, element] of lying) {
    const step = (seat - bottom + size) % size;
    const at = data.ccw ? (size - step) % size : step;
    element.classList.add(`at-${at}`);
    if (data.partners) {
      element.style.setProperty("--shift-x", CROSS[at][0]);
      element.style.setProperty("--shift-y", CROSS[at][1]);
    } else {
      place(element, TRICK[size][at], PHONE_TRICK[size][at]);
    }
    children.push(element);
  }
  felt.replaceChildren(...children.filter((child) => child !== null));
}

// The card that was turned up lies across under the pack.
function drawTurned(data, picture) {
  if (!picture.turned) return null;
  const { card, text } = picture.turned;
  const words = html("p", { class: "words" }, "vira ", writeCard(card), html("br"), text);
  const pack = html("div", { class: "pack", "aria-hidden": "true" }, drawCard(card, data.cards[card]), drawCard("", ""));
  return html("div", { class: "turned" }, words, pack);
}

// Who took the tricks of this hand that are over.
function drawTricks(data, picture) {
  const places = hasSides(data) ? data.tricks : picture.tricks.length;
  if (!picture.hand || !places) return null;
  const marks = [];
  for (let at = 0; at < places; at++) {
    const seat = picture.tricks[at];
    if (seat === undefined) {
      marks.push(html("li", { class: "open", "aria-hidden": "true" }));
      continue;
    }
    const who = seat === null ? "tied" : data.names[seat];
    const drawn = hasSides(data)
      ? [seat === null ? html("span", { "aria-hidden": "true" }, "=") : markOf(data, seat), html("span", { class: "hear" }, who)]
      : [html("span", { class: "name" }, who)];
    marks.push(html("li", { class: hasSides(data) ? "mark-of-trick" : "", title: `Trick ${at + 1}: ${who}` }, ...drawn));
  }
  return html("ol", { class: `tricks${hasSides(data) ? "" : " named"}`, "aria-label": "Tricks" }, ...marks);
}

function drawLying(data, picture, seat, card, how) {
  const out = picture[`state${seat}`] !== "";
  const classes = ["lying", out && "off", picture.winner === seat && "won"].filter(Boolean).join(" ");
  const drawn = drawCard(card, nameOf(data, picture, card), how === "down");
  const who = html("span", { class: "hear" }, `${data.names[seat]} played `);
  const element = html("div", { class: classes }, who, drawn);
  if (how === "down" && card) element.append(html("span", { class: "under" }, "face down"));
  element.dataset.seat = seat;
  element.dataset.card = card;
  return element;
}

function drawSeat(data, picture, seat, at) {
  const size = data.names.length;
  const name = data.names[seat];
  const cards = picture[`cards${seat}`];
  const state = picture[`state${seat}`];
  const note = picture[`note${seat}`];
  const acts = picture.awaiting.includes(seat);
  const dealer = picture.dealer === seat;
  const where = data.partners ? PARTNERS.desktop[at] : SEATS[size][at];
  const phone = data.partners ? PARTNERS.phone[at] : PHONE_SEATS[size][at];

  const plate = html(
    "div",
    { class: `plate${acts ? " acts" : ""}${state ? " off" : ""}`, title: name },
    markOf(data, seat),
    html("span", { class: "name" }, name),
    dealer ? html("span", { class: "dealer", "aria-hidden": "true" }, "D") : null,
  );
  const said = picture[`said${seat}`];
  // What a seat has just said stands before what it is asked.
  const asks = acts && picture.question !== "" && !(said && !said[3]);
  if (said || asks) {
    const table = { many: size > 5, partners: data.partners };
    const sides = `${bubbleSide(where, table)} phone-${bubbleSide(phone, { ...table, phone: true })}`;
    // On phones, long text at the edge of the felt extends inwards.
    const long = (asks ? picture.question : said[1]).length > 9;
    const edge = !long ? "" : phone[0] < 40 ? "at-left" : phone[0] > 60 ? "at-right" : "";
    plate.append(drawBubble(said, asks ? picture.question : "", `${sides} ${edge}`));
  }
  const facts = [name];
  if (hasSides(data)) facts.push(`side of ${teamName(data, sideOf(data, seat))}`);
  if (dealer) facts.push("dealer");
  if (!hasSides(data)) facts.push(`${picture.score[seat]} ${data.unit[picture.score[seat] === 1 ? 0 : 1]}`);
  if (note) facts.push(note);
  facts.push(cards.length === 1 ? "1 card" : `${cards.length} cards`);
  if (acts) facts.push("to act");

  const element = html("div", { class: `seat at-${at}`, role: "group", "aria-label": facts.join(", ") }, plate);
  if (!hasSides(data)) element.append(drawLives(data, picture, seat, note));
  else if (note) element.append(html("span", { class: "remark", title: note }, note));
  const closed = cards.length > 0 && cards.every((card) => card === "");
  const classes = `hand${state ? " off" : ""}${closed ? " closed" : ""}`;
  // Open cards of others, such as a partner's at eleven, are marked without words.
  const titles = titlesOf(data, picture);
  const held = cards.map((card) => {
    const drawn = drawCard(card, nameOf(data, picture, card));
    if (!titles[card]) return html("li", {}, drawn);
    const title = at === 0 ? html("span", { class: "title", "aria-hidden": "true" }, titles[card]) : "";
    return html("li", { class: "named" }, drawn, title);
  });
  const whose = name === "You" ? "Your" : `${name}'s`;
  element.append(html("ul", { class: classes, "aria-label": `${whose} hand` }, ...held));
  place(element, where, phone);
  element.dataset.seat = seat;
  return element;
}

function drawBubble(said, question, sides) {
  if (question) return html("span", { class: `bubble question ${sides}` }, question);
  const [kind, text, value, past] = said;
  const number = value === null ? null : html("span", { class: "value" }, ` ${value}`);
  return html("span", { class: `bubble ${kind} ${sides}${past ? " past" : ""}` }, text, number);
}

function drawLives(data, picture, seat, note) {
  const lives = picture.score[seat];
  const line = html("div", { class: "lives", "aria-hidden": "true" }, html("b", {}, String(lives)));
  if (data.most <= MOST_STROKES) {
    const groups = Math.ceil(data.most / 5);
    const strokes = svg("svg", { width: groups * 25, height: 14, viewBox: `0 0 ${groups * 25} 14` });
    for (let life = 0; life < data.most; life++) {
      const left = Math.floor(life / 5) * 25 + 3;
      const x = left + (life % 5) * 5;
      const line = life % 5 === 4 ? { x1: left - 2, y1: 10, x2: left + 17, y2: 4 } : { x1: x, y1: 1, x2: x, y2: 13 };
      strokes.append(svg("line", { ...line, class: life < lives ? "" : "gone" }));
    }
    line.append(strokes);
  }
  if (note) line.append(html("span", { class: "remark", title: note }, note));
  return line;
}

const teamName = (data, side) => {
  const names = data.teams[side].map((seat) => data.names[seat]);
  return names.join(" and ");
};

// The score of the two sides. The points that the stake would add are outlined.
function drawSides(element, data, picture) {
  if (!hasSides(data)) return element.replaceChildren();
  const pips = (points, side) => {
    const row = svg("svg", { class: "pips", viewBox: `0 0 ${data.target * 23 + 12} 11`, "aria-hidden": "true" });
    for (let at = 0; at < data.target; at++) {
      const x = at * 23 + Math.floor(at / 3) * 4 + 0.75;
      const state = at < points ? "full" : at < points + (picture.asked ?? picture.stake) ? "asked" : "";
      row.append(svg("rect", { class: `${state} side-${side}`, x, y: 1, width: 20, height: 9, rx: 2 }));
    }
    return row;
  };
  const sides = [0, 1].map((side) =>
    html(
      "div",
      { class: `side side-${side}` },
      html(
        "p",
        {},
        html("b", { class: "figure" }, String(picture.score[side])),
        markOf(data, data.teams[side][0]),
        html("span", { class: "name", title: teamName(data, side) }, teamName(data, side)),
      ),
      pips(picture.score[side], side),
    ),
  );
  const goal = html("p", { class: "goal" }, `first to ${data.target}`);
  element.replaceChildren(sides[0], goal, sides[1]);
}

function drawStake(element, data, picture) {
  const steps = picture.ladder.map((value) => {
    const state = value === picture.stake ? "now" : value === picture.asked ? "asked" : value < picture.stake ? "passed" : "";
    return html("li", { class: state }, String(value));
  });
  element.replaceChildren(
    html("p", {}, html("b", { class: "figure" }, String(picture.stake)), ` ${data.unit[picture.stake === 1 ? 0 : 1]} at stake`),
    html("ol", { class: "ladder", "aria-hidden": "true" }, ...steps),
    html("p", { class: "asked-for" }, picture.asked === null ? "" : `asked: ${picture.asked}`),
  );
}

function drawWhen(element, picture) {
  // Between two tricks the line below says who took the last one.
  const trick = picture.trick > picture.tricks.length ? `, trick ${picture.trick}` : "";
  const line = (kind, text) => html("p", { class: kind, title: text }, text);
  const lines = [line("", `Hand ${picture.hand}${trick}`)];
  if (picture.taken) lines.push(line("taken", picture.taken));
  if (picture.ended) lines.push(line("ended", `Hand over: ${picture.ended.text}`));
  element.replaceChildren(...lines);
}

// The cards from the strongest; those of the seat at the bottom are marked.
// Before a card is turned, the order is not known.
function drawOrder(element, data, picture, bottom) {
  const titles = titlesOf(data, picture);
  const own = new Set(picture[`cards${bottom}`].map((card) => (titles[card] ? card : card[0])));
  const entry = (what, drawn) => {
    const hear = own.has(what) ? html("span", { class: "hear" }, " (held)") : null;
    return html("li", { class: own.has(what) ? "own" : "" }, drawn, hear);
  };
  const named = Object.keys(titles).map((card) => entry(card, writeCard(card)));
  const ranks = picture.order.map((rank) => entry(rank, rankOf(rank)));
  const then = named.length ? html("li", { class: "then" }, "then") : null;
  element.hidden = ranks.length === 0;
  element.replaceChildren(html("p", { class: "label" }, "Strongest first"), html("ol", {}, ...named, then, ...ranks));
}

function drawNotes(element, picture) {
  element.replaceChildren(
    ...picture.notes.map((note) =>
      html(
        "p",
        {},
        note.label ? html("span", { class: "label" }, `${note.label} `) : null,
        html("span", { class: "cards" }, ...note.cards.map(writeCard)),
        note.text ? html("span", {}, note.cards.length ? ` ${note.text}` : note.text) : null,
      ),
    ),
  );
}

// The board: the felt and its surroundings

const by = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Milliseconds until the next move, based on reading speed.
const pauseAfter = (picture, isCall) => (picture.ended ? 2200 : isCall ? 1500 : 900);

function drawBoard(data, picture, bottom, moving) {
  const from = placesOfCards();
  drawTable(by("felt"), data, picture, bottom);
  drawSides(by("sides"), data, picture);
  drawStake(by("stake"), data, picture);
  drawWhen(by("when"), picture);
  drawNotes(by("notes"), picture);
  // The event that is shown as current.
  if (picture.n !== undefined) by("felt").dataset.event = picture.n;
  if (by("order")) drawOrder(by("order"), data, picture, bottom);
  if (moving && !calm.matches) slide(from);
}

function placesOfCards() {
  const places = new Map();
  for (const seat of document.querySelectorAll("#felt .seat")) {
    for (const card of seat.querySelectorAll(".card")) {
      places.set(`${seat.dataset.seat} ${card.dataset.card}`, card.getBoundingClientRect());
    }
  }
  for (const card of document.querySelectorAll("#felt .lying[data-card]")) {
    places.set(`lying ${card.dataset.seat} ${card.dataset.card}`, null);
  }
  return places;
}

// A card that was just played moves from the hand to the trick.
function slide(from) {
  for (const card of document.querySelectorAll("#felt .lying[data-card]")) {
    const { seat, card: name } = card.dataset;
    const start = from.get(`${seat} ${name}`) ?? from.get(`${seat} `);
    if (from.has(`lying ${seat} ${name}`) || !start) continue;
    const end = card.getBoundingClientRect();
    const shift = `${start.left - end.left}px ${start.top - end.top}px`;
    card.animate([{ translate: shift }, { translate: "0px 0px" }], { duration: 180, easing: "ease-out" });
  }
}
