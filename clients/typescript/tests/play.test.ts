import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type Bot, type Turn, connect, play, value } from "../src/index.js";
import { URL, name, newcomer, record } from "./service.js";

/** Plays one of the legal actions, each in its turn. */
class Rotating implements Bot {
  private count = 0;

  choose(turn: Turn): string | null {
    if (turn.optional) return turn.legal_actions[0] ?? null;
    const calm = turn.legal_actions.filter((action) => !/^(run|fold|concede)/.test(action));
    const from = calm.length > 0 ? calm : turn.legal_actions;
    return from[this.count++ % from.length] ?? null;
  }
}

for (const [kind, rights] of [
  ["truco", false],
  ["toepen", false],
  ["toepen", true],
] as const) {
  test(`a whole game of ${kind} without a fault, rights: ${rights}`, async () => {
    const { owner, bot, client } = await newcomer();
    const own = { bot };
    const house = { house: "rookie" } as const;
    const body =
      kind === "truco"
        ? ({ kind, seats: [own, house, own, house] } as const)
        : ({ kind, seats: [own, house, own] } as const);
    const { game } = value(await owner.POST("/v1/games", { body: { ...body, seats: [...body.seats] } }));
    const lines: string[] = [];
    const player = await play(client, () => new Rotating(), { games: 1, rights, say: (line) => lines.push(line) });
    assert.equal(player.over, 1);
    const { canonical } = await record(owner, game);
    assert.deepEqual(canonical.faults, []);
    assert.deepEqual(canonical.outcome.forfeits, []);
    assert.ok(canonical.actions.length > 20);
    assert.equal(lines.filter((line) => line.includes("sat down")).length, 2, lines.join("\n"));
    assert.equal(lines.filter((line) => /seat \d: place \d, score -?\d/.test(line)).length, 2, lines.join("\n"));
    // A right may end before the answer arrives, for instance because the other seat knocked.
    const others = lines.filter((line) => !line.startsWith(kind) && !(rights && line.includes(": stale_turn: ")));
    assert.deepEqual(others, []);
  });
}

test("an illegal action is not sent: it is reported, and the default action is played", async () => {
  const { owner, bot, client } = await newcomer();
  const seats = [{ bot }, { house: "rookie" as const }];
  const { game } = value(await owner.POST("/v1/games", { body: { kind: "toepen", seats } }));
  const lines: string[] = [];
  let calls = 0;
  const rest = new Rotating();
  const choose = (turn: Turn) => (calls++ === 0 ? "play:no" : rest.choose(turn));
  await play(client, () => choose, { games: 1, say: (line) => lines.push(line) });
  const messages = lines.filter((line) => /: playing \S+; legal: .+; play:no is not legal$/.test(line));
  assert.equal(messages.length, 1, lines.join("\n"));
  assert.deepEqual((await record(owner, game)).canonical.faults, []);
});

test("an action that the service refuses is reported, and the default action is played", async () => {
  const { owner, bot, client } = await newcomer();
  const seats = [{ bot }, { house: "rookie" as const }];
  const { game } = value(await owner.POST("/v1/games", { body: { kind: "toepen", seats } }));
  const lines: string[] = [];
  let sent = 0;
  client.use({
    // The first answer arrives as something else.
    async onRequest({ request }) {
      if (!request.url.includes("/v1/turns") || sent > 0) return undefined;
      const { answers } = (await request.clone().json()) as { answers: { turn: string; action: string }[] };
      if (answers.length === 0) return undefined;
      sent += 1;
      const body = JSON.stringify({ answers: answers.map(({ turn }) => ({ turn, action: "play:no" })) });
      return new Request(request, { body });
    },
  });
  await play(client, () => new Rotating(), { games: 1, say: (line) => lines.push(line) });
  assert.equal(sent, 1);
  const messages = lines.filter((line) => /: playing \S+; legal: .+; illegal_action: .*play:no/.test(line));
  assert.equal(messages.length, 1, lines.join("\n"));
  const { canonical } = await record(owner, game);
  assert.deepEqual(canonical.outcome.forfeits, []);
  assert.deepEqual(canonical.faults.map(({ type }) => type), ["illegal"]);
});

test("an error of the bot is reported, and the default action is played", async () => {
  const { owner, bot, client } = await newcomer();
  const seats = [{ bot }, { house: "rookie" as const }];
  const { game } = value(await owner.POST("/v1/games", { body: { kind: "toepen", seats } }));
  const lines: string[] = [];
  let calls = 0;
  const rest = new Rotating();
  const choose = (turn: Turn) => {
    if (calls++ === 0) throw new RangeError("no idea");
    return rest.choose(turn);
  };
  await play(client, () => choose, { games: 1, say: (line) => lines.push(line) });
  assert.match(lines.join("\n"), /: playing \S+; legal: .+; the bot failed: RangeError: no idea\n +at .*play\.test/);
  assert.deepEqual((await record(owner, game)).canonical.faults, []);
});

test("an abort ends the wait; what has begun is played to its end", async () => {
  const { owner, bot, client } = await newcomer();
  const stop = new AbortController();
  const seats = [{ bot }, { house: "rookie" as const }];
  const { game } = value(await owner.POST("/v1/games", { body: { kind: "toepen", seats } }));
  const bots = new Rotating();
  const choose = (turn: Turn) => {
    stop.abort();
    return bots.choose(turn);
  };
  const player = await play(client, () => choose, { signal: stop.signal, say: () => {} });
  assert.equal(player.over, 1);
  assert.deepEqual((await record(owner, game)).canonical.faults, []);
  // With nothing to play, an abort in the middle of a wait ends it.
  const idle = new AbortController();
  setTimeout(() => idle.abort(), 300);
  assert.equal((await play(client, () => choose, { signal: idle.signal, say: () => {} })).over, 0);
});

test("a refused token is an error with its code", async () => {
  const stranger = connect(URL, "btq_b_nobody_0");
  await assert.rejects(play(stranger, () => () => null, { say: () => {} }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 401);
    assert.equal(error.code, "invalid_token");
    assert.match(error.message, /not valid/);
    return true;
  });
});

test("a service that cannot be reached is tried again, and then an error", async () => {
  const lines: string[] = [];
  const nowhere = connect("http://127.0.0.1:9", "btq_b_nobody_0");
  await assert.rejects(play(nowhere, () => () => null, { patience: 1, say: (line) => lines.push(line) }));
  assert.ok(lines.length >= 1);
  assert.match(lines[0] ?? "", /again in \d\.\d s$/);
});

test("a name that is taken is an error of its field", async () => {
  const taken = name();
  const body = { name: taken };
  value(await connect(URL).POST("/v1/owners", { body }));
  const again = await connect(URL).POST("/v1/owners", { body });
  assert.throws(() => value(again), (error) => error instanceof ApiError && error.problem?.field === "name");
});
