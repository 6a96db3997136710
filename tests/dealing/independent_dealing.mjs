// The deals once more, written from docs/fair-deals.md alone.
// Reads {"<function>": [<call>, ...]} from standard input and writes the results in the same shape.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const num = (n) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
};
const text = (s) => Buffer.concat([num(Buffer.byteLength(s, "utf8")), Buffer.from(s, "utf8")]);
const hex = (s) => Buffer.from(s, "hex");
const sha256 = (message) => createHash("sha256").update(message).digest();
const mac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();

function* words(key) {
  for (let block = 0; ; block++) {
    const bytes = sha256(Buffer.concat([key, num(block)]));
    for (let at = 0; at < 32; at += 4) yield bytes.readUInt32BE(at);
  }
}

function below(stream, n) {
  const limit = 2 ** 32 - (2 ** 32 % n);
  let word;
  do word = stream.next().value;
  while (word >= limit);
  return word % n;
}

const functions = {
  commitment: ({ seed }) => ({ commitment: sha256(hex(seed)).toString("hex") }),
  chance({ seed, nonces, kind, hand, items }) {
    const key = mac(hex(seed), text(`botequim ${kind} v1`), num(hand), num(nonces.length), ...nonces.map(text));
    const stream = words(key);
    const list = items.split(" ");
    if (kind === "dealer") return { action: `dealer:${list[below(stream, list.length)]}` };
    for (let last = list.length - 1; last >= 1; last--) {
      const at = below(stream, last + 1);
      [list[at], list[last]] = [list[last], list[at]];
    }
    return { action: `deal:${list.join("")}` };
  },
  entries({ entries }) {
    const encoded = entries.map((entry) => Buffer.concat(entry.map(text))).sort(Buffer.compare);
    const message = Buffer.concat([text("botequim entries v1"), num(encoded.length), ...encoded]);
    return { hash: sha256(message).toString("hex") };
  },
  group_seed: ({ event_seed, entries, group, attempt }) => ({
    group_seed: mac(hex(event_seed), text("botequim group v1"), hex(entries), text(group), num(attempt)).toString("hex"),
  }),
  game_seed: ({ group_seed, index, mirrored }) => ({
    game_seed: mirrored ? group_seed : mac(hex(group_seed), text("botequim game v1"), num(index)).toString("hex"),
  }),
  bot_seed: ({ seed, seat }) => ({ bot_seed: mac(hex(seed), text("botequim bot v1"), num(seat)).toString("hex") }),
};

const calls = JSON.parse(readFileSync(0, "utf8"));
const results = {};
for (const [name, list] of Object.entries(calls)) results[name] = list.map((call) => functions[name](call));
process.stdout.write(JSON.stringify(results));
