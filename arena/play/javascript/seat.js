// Plays one seat of one game with the bot in a JavaScript file. Returns a function that answers a line of JSON lines
// (docs/turns.md) with a line. `load` returns a promise of what the file exports; `place` is the file's name in stack traces,
// and `file` its name for people; `print` prints a text to the log.
function playSeat(load, place, file, print) {
  let bot;

  return async (line) => {
    const asked = JSON.parse(line);
    try {
      if ("protocol" in asked) return JSON.stringify(await open(asked.seed));
      return JSON.stringify({ turn: asked.turn, action: (await bot.choose(asked)) ?? null });
    } catch (error) {
      return JSON.stringify({ turn: asked.turn, error: report(error) });
    }
  };

  async function open(seed) {
    seedRandom(seed);
    globalThis.console = Object.fromEntries(["log", "info", "warn", "error", "debug"].map((name) => [name, log]));
    const exported = await load();
    bot = botIn(exported);
    return { games: exported.games ?? [], rights: exported.wants_rights ?? false };
  }

  function botIn(exported) {
    if (typeof exported.choose === "function") return exported;
    const classes = new Set(Object.values(exported).filter((one) => typeof one?.prototype?.choose === "function"));
    if (classes.size === 1) return new [...classes][0]();
    if (classes.size > 1) throw `${file}: it exports several bots: ${[...classes].map((one) => one.name).join(", ")}`;
    throw `${file}: it exports no bot; expected a function choose(turn) or a class with a method choose(turn)`;
  }

  // Replaces Math.random with sfc32, whose start is the seed, so that a bot plays the same everywhere.
  function seedRandom(seed) {
    const words = seed.match(/.{8}/g).map((word) => parseInt(word, 16));
    let a = words[0] ^ words[3] ^ words[6];
    let b = words[1] ^ words[4] ^ words[7];
    let c = words[2] ^ words[5];
    let counter = 1;
    const next = () => {
      const sum = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      return sum >>> 0;
    };
    for (let i = 0; i < 15; i++) next();
    Math.random = () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
  }

  function log(...values) {
    print(values.map(shown).join(" ") + "\n");
  }

  function shown(value) {
    try {
      if (typeof value === "string") return value;
      return value instanceof Error ? report(value) : (JSON.stringify(value) ?? String(value));
    } catch {
      return String(value);
    }
  }

  // Returns the error with its line, and below it the part of the stack trace that is in the file.
  function report(error) {
    const what = text(error);
    const frames = text(error?.stack ?? "")
      .replaceAll(place, file)
      .split("\n")
      .filter((frame) => frame.trimStart().startsWith("at ") && frame.includes(`${file}:`));
    if (frames.length === 0) return what;
    const line = parseInt(frames[0].slice(frames[0].indexOf(`${file}:`) + file.length + 1));
    const summary = bot ? `${what} (${file}:${line})` : `${file}:${line}: ${what}`;
    return [summary, ...frames.slice(0, 20)].join("\n");
  }

  function text(value) {
    try {
      return String(value);
    } catch {
      return "(the message could not be created)";
    }
  }
}
