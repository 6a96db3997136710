// Verifies the deals of a game by docs/fair-deals.md, using only WebCrypto.

const utf8 = (text) => new TextEncoder().encode(text);
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

function num(n) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
}

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const text = (value) => joined(num(utf8(value).length), utf8(value));
const sha256 = async (message) => new Uint8Array(await crypto.subtle.digest("SHA-256", message));

async function hmac(key, message) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

async function* words(key) {
  for (let block = 0; ; block++) {
    const view = new DataView((await sha256(joined(key, num(block)))).buffer);
    for (let at = 0; at < 32; at += 4) yield view.getUint32(at);
  }
}

async function below(stream, n) {
  const limit = 2 ** 32 - (2 ** 32 % n);
  for (;;) {
    const word = (await stream.next()).value;
    if (word < limit) return word % n;
  }
}

// An action of chance: "dealer:2" or "deal:4C7H…".
async function chance(seed, nonces, kind, hand, items) {
  const message = joined(text(`botequim ${kind} v1`), num(hand), num(nonces.length), ...nonces.map(text));
  const stream = words(await hmac(bytesOf(seed), message));
  const list = [...items];
  if (kind === "dealer") return `dealer:${list[await below(stream, list.length)]}`;
  for (let last = list.length - 1; last >= 1; last--) {
    const at = await below(stream, last + 1);
    [list[at], list[last]] = [list[last], list[at]];
  }
  return `deal:${list.join("")}`;
}

// The first cards of a deal, in printed notation.
const begin = (action) => (action.startsWith("deal:") ? `${action.slice(5, 17)}…` : action);

// The three checks: {fits, what, details} each. There are "before" moves on earlier sheets.
async function checkDeals(fair, open, before) {
  const commitment = hexOf(await sha256(bytesOf(fair.seed)));
  const results = [
    {
      fits: commitment === fair.commitment,
      what: "The seed is the one that was committed to before the first card",
      details: [`SHA-256 of the seed: ${commitment}`, `commitment: ${fair.commitment}`],
    },
  ];
  const wrong = [];
  let packs = 0;
  for (const [kind, hand, action] of fair.deals) {
    const expected = await chance(fair.seed, fair.nonces, kind, hand, fair.items[kind]);
    packs += kind === "deal";
    if (expected !== action) {
      const name = kind === "deal" ? `the pack of hand ${hand}` : "the first dealer";
      wrong.push(`${name} should be ${begin(expected)}, the record has ${begin(action)}`);
    }
  }
  const what = packs === 1 ? "the pack of the hand" : `the packs of all ${packs} hands`;
  results.push({
    fits: wrong.length === 0,
    what: `Seed and nonces give ${"dealer" in fair.items ? "the first dealer and " : ""}${what}, card by card`,
    details: wrong.slice(0, 3).concat(wrong.length > 3 ? [`and ${wrong.length - 3} more`] : []),
  });
  const strange = playedFromNowhere(open, before);
  results.push({
    fits: strange.length === 0,
    what: "Every card that was played was in the hand it came from",
    details: strange.slice(0, 3),
  });
  return results;
}

// Cards on the table that their seat did not hold before the move. Hands that nobody looks at are not checked.
function playedFromNowhere(open, before) {
  const found = [];
  for (let at = 1; at < open.length; at++) {
    const last = open[at - 1];
    const lay = new Set(last.lying.map(([, card]) => card));
    for (const [seat, card] of open[at].lying) {
      const hand = last[`cards${seat}`];
      if (!lay.has(card) && card !== "" && !hand.includes(card) && !hand.includes("")) {
        found.push(`move ${at + 1 + before}: ${card} was not in the hand of seat ${seat}`);
      }
    }
  }
  return found;
}
