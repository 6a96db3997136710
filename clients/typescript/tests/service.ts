import { randomBytes } from "node:crypto";
import { type Client, connect, value } from "../src/index.js";

/** The service under test. */
export const URL = process.env["BOTEQUIM_URL"] ?? "http://127.0.0.1:8000";

/** A name that nobody has. */
export function name(): string {
  return `n${randomBytes(6).toString("hex")}`;
}

/** A new owner, with the name and a client of a bot of its own. */
export async function newcomer(): Promise<{ owner: Client; bot: string; client: Client }> {
  const { token } = value(await connect(URL).POST("/v1/owners", { body: { name: name() } }));
  const owner = connect(URL, token);
  const bot = name();
  const registered = value(await owner.POST("/v1/bots", { body: { name: bot } }));
  return { owner, bot, client: connect(URL, registered.token) };
}

/** The record of a game, as soon as it is released. */
export async function record(client: Client, game: string) {
  for (;;) {
    const reply = await client.GET("/v1/games/{game}/record", { params: { path: { game } } });
    if (reply.response.ok) return value(reply);
    if (reply.response.status !== 409 && reply.response.status !== 404) value(reply);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
