/** The smallest body of each operation type-checks, and the service takes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, connect, value } from "../src/index.js";
import { URL, name, newcomer } from "./service.js";

const admin = connect(URL, process.env["BOTEQUIM_ADMIN_TOKEN"] ?? "");

async function newTournament(owner: Client) {
  return value(await owner.POST("/v1/tournaments", { body: { name: "Cup", kind: "truco", format: "swiss" } })).id;
}

test("owners and bots", async () => {
  const { owner, bot } = await newcomer();
  const path = { bot };
  value(await owner.PATCH("/v1/bots/{bot}", { params: { path }, body: {} }));
  value(await owner.POST("/v1/bots/{bot}/versions", { params: { path }, body: { label: "2" } }));
  const asked = await owner.POST("/v1/bots/{bot}/versions/{version}/qualifications", {
    params: { path: { bot, version: "2" } },
    body: { kind: "toepen" },
  });
  assert.equal(value(asked).kind, "toepen");
});

test("games", async () => {
  const { owner, bot, client } = await newcomer();
  const house = { house: "random" } as const;
  value(await owner.POST("/v1/games", { body: { kind: "truco", seats: [{ bot }, house, house, house] } }));
  const seats = [house, { open: true } as const];
  const { game } = value(await owner.POST("/v1/games", { body: { kind: "toepen", seats } }));
  const path = { game };
  value(await client.POST("/v1/games/{game}/join", { params: { path }, body: {} }));
  assert.deepEqual(value(await client.POST("/v1/turns", { body: {} })).results, []);
  value(await client.POST("/v1/games/{game}/resign", { params: { path }, body: {} }));
});

test("tournaments", async () => {
  const { owner, bot } = await newcomer();
  const other = { name: "Cup", kind: "toepen", format: "knockout" } as const;
  value(await owner.POST("/v1/tournaments", { body: other }));
  const path = { tournament: await newTournament(owner) };
  value(await owner.POST("/v1/tournaments/{tournament}/entries", { params: { path }, body: { bot } }));
  const cancelled = await owner.POST("/v1/tournaments/{tournament}/cancel", {
    params: { path },
    body: { reason: "Rain." },
  });
  assert.equal(value(cancelled).state, "cancelled");
});

test("schedules and admins", async () => {
  const tournament = { name: "Weekly", kind: "toepen", format: "round_robin" } as const;
  const id = name();
  value(await admin.POST("/v1/schedules", { body: { id, cron: "0 12 * * 5", tournament } }));
  const path = { schedule: id };
  value(await admin.PATCH("/v1/schedules/{schedule}", { params: { path }, body: { enabled: false } }));
  const owner = name();
  value(await connect(URL).POST("/v1/owners", { body: { name: owner } }));
  const made = await admin.PUT("/v1/admin/owners/{owner}/admin", { params: { path: { owner } }, body: { admin: true } });
  assert.equal(value(made).admin, true);
});
