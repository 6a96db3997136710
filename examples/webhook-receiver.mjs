// A webhook bot for Botequim, with nothing but Node.
//
//     node webhook-receiver.mjs "$SECRET" 8080
//
// The service calls it by https: put a proxy with a certificate in front. To change its play, change `choose`.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const TOLERANCE = 300; // seconds; largest accepted difference between a timestamp and the local clock
const MAX_BODY = 1_000_000;

// Returns the action for a turn; null declines an optional turn.
function choose(turn) {
  if (turn.optional) return null;
  const calm = turn.legal_actions.find((action) => action === "keep" || action === "trust");
  return calm ?? turn.legal_actions[0];
}

// What `choose` returns. If it fails, the turn's default action, which the table plays for a seat that is late; null for
// an optional turn.
function decide(turn) {
  const legal = [...turn.legal_actions];
  try {
    const action = choose(turn);
    if (legal.includes(action) || (turn.optional && action === null)) return action;
    throw `${action} is not legal`;
  } catch (error) {
    console.error(`${turn.turn}: playing ${turn.default_action}; legal: ${legal.join(", ")}; choose failed:`, error);
    return turn.default_action;
  }
}

const [secret, port = "8080", host = "127.0.0.1"] = process.argv.slice(2);
if (!secret?.startsWith("whsec_")) {
  console.error("usage: node webhook-receiver.mjs whsec_... [port] [host]");
  process.exit(2);
}
const key = Buffer.from(secret.slice("whsec_".length), "base64");
const seen = new Map(); // id of a message -> when it can be dropped

// Returns why a message is refused; null if it is genuine and new.
function refusal(headers, body) {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const genuine = (headers["webhook-signature"] ?? "").split(" ").some((each) => {
    const [version, signature] = each.split(",");
    const given = Buffer.from(signature ?? "", "base64");
    return version === "v1" && given.length === digest.length && timingSafeEqual(given, digest);
  });
  if (!genuine) return "wrong signature";
  const now = Date.now() / 1000;
  if (!(Math.abs(now - Number(timestamp)) <= TOLERANCE)) return "too old or too new";
  for (const [old, until] of seen) if (until < now) seen.delete(old);
  if (seen.has(id)) return "seen before";
  seen.set(id, now + 2 * TOLERANCE);
  return null;
}

function reply(response, status, value) {
  const body = value === undefined ? "" : JSON.stringify(value);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

const server = createServer((request, response) => {
  const chunks = [];
  let size = 0;
  request.on("data", (chunk) => {
    size += chunk.length;
    if (size > MAX_BODY) request.destroy();
    else chunks.push(chunk);
  });
  request.on("end", () => {
    if (request.method !== "POST") return reply(response, 405, { error: "only POST" });
    const body = Buffer.concat(chunks);
    const why = refusal(request.headers, body);
    if (why !== null) return reply(response, 401, { error: why });
    const { type, data } = JSON.parse(body);
    if (type === "ping") return reply(response, 200, { challenge: data.challenge });
    if (type === "turn") return reply(response, 200, { action: decide(data) });
    return reply(response, 200, {});
  });
});
server.keepAliveTimeout = 65_000;
server.listen(Number(port), host, () => console.log(`http://${host}:${server.address().port}/`));
