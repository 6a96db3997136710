// Plays all seats of the bot in one JavaScript file with Node, for arena/play/javascript:
//
//     node --experimental-vm-modules node.mjs FILE DIGEST
//
// answers the first line of JSON lines. In every further line, a key and a space precede a line for the seat with this key. A
// key with nothing behind it ends the seat. Each seat has its own globals, and only those of the language, as in the sandbox.

import { readFileSync, readSync, writeSync } from "node:fs";
import vm from "node:vm";

const file = process.argv[2];
const source = readFileSync(file, "utf8").replace(/^\ufeff/, "");
const PLAY_SEAT = readFileSync(new URL("seat.js", import.meta.url), "utf8");
const seats = new Map();

function newSeat() {
  const context = vm.createContext({});
  const load = async () => {
    const module = await compiled(context);
    await module.link((other) => {
      throw `${file}: it imports ${other}; a bot is a single file`;
    });
    await module.evaluate();
    return module.namespace;
  };
  return vm.runInContext(`(${PLAY_SEAT})`, context)(load, file, file, (text) => writeSync(2, text));
}

function compiled(context) {
  try {
    return new vm.SourceTextModule(source, { identifier: file, context });
  } catch (error) {
    // Only the message of an uncaught error says where a syntax error is.
    return new Promise(() => setImmediate(() => { throw error; }));
  }
}

function* lines() {
  const chunk = Buffer.alloc(1 << 16);
  let text = "";
  for (let size; (size = readSync(0, chunk)) > 0; ) {
    const parts = (text + chunk.latin1Slice(0, size)).split("\n");
    text = parts.pop();
    yield* parts;
  }
}

for (const line of lines()) {
  let answer = "{}";
  const key = line.split(" ", 1)[0];
  const asked = line.slice(key.length + 1);
  if (line.startsWith("{")) {
    answer = '{"seats":"all"}';
  } else if (asked) {
    if (!seats.has(key)) seats.set(key, newSeat());
    answer = await seats.get(key)(asked);
  } else {
    seats.delete(key);
  }
  writeSync(1, `${answer}\n`);
}
