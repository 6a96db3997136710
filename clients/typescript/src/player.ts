import type { components } from "./api.js";
import { ApiError, type Client, value } from "./client.js";

export type Schemas = components["schemas"];
export type Turn = Schemas["Turn"];
export type TrucoTurn = Schemas["TrucoTurn"];
export type ToepenTurn = Schemas["ToepenTurn"];
type Result = Schemas["Result"];
type Exchange = Schemas["Exchange"];
type Answer = Schemas["Answer"];

/** What decides for one seat of one game. */
export interface Bot {
  /** One of `turn.legal_actions`; null lets an optional turn pass. */
  choose(turn: Turn): string | null | Promise<string | null>;
}

/** A class with `choose`, or the method alone. */
export type SeatBot = Bot | Bot["choose"];

export interface PlayOptions {
  /** The number of games after which the bot leaves. Default: it plays on. */
  games?: number;
  /** Whether the bot is shown optional turns, such as to knock out of turn. Default: false. */
  rights?: boolean;
  /** Whether the bot takes part in scheduled tournaments. Default: false. */
  tournaments?: boolean;
  /** When it aborts, the bot plays what has begun to its end, and leaves. */
  signal?: AbortSignal;
  /** Seconds for which a request is repeated while the service cannot be reached or is busy. Default: 600. */
  patience?: number;
  /** Gets a line for whatever happens. Default: `console.log`. */
  say?: (line: string) => void;
}

/** Seconds that the service may hold a request while there is no turn. */
const WAIT = 20;
/** Milliseconds without a turn after which a game is looked up, doubled each time. */
const FIRST_LOOK = 1_000;
const LONGEST_PAUSE = 60_000;
/** Seconds that a request may take in addition to its wait. */
const TIMEOUT = 30;
const PATIENCE = 600;
/** Milliseconds for which a bot of tournaments plays on after its good-bye: what was about to begin has begun by then. */
const LINGER = 5_000;
const LIVE: readonly string[] = ["waiting", "running"];

interface Game {
  kind: string;
  seats: Map<number, Bot>;
  pause: number;
  due: number;
}

/** Plays all games of one bot: a fresh object of `make()` for each seat of each game. */
export class Player {
  /** The number of games that have ended. */
  over = 0;
  private readonly games = new Map<string, Game>();
  private answers = new Map<string, Answer>();
  private readonly answered = new Map<string, Turn>();
  private cursor: string | undefined;
  private leaving = false;
  private readonly say: (line: string) => void;

  constructor(
    readonly client: Client,
    private readonly make: () => SeatBot,
    private readonly options: PlayOptions = {},
  ) {
    this.say = options.say ?? ((line) => console.log(line));
  }

  /** Send the answers, get the next turns, and decide them. `wait`: seconds that the service may wait for a turn. */
  async step(wait: number = WAIT): Promise<void> {
    const sent = [...this.answers.values()];
    const reply = await this.exchange(sent, this.untilLook(wait));
    if (reply === undefined) return;
    this.cursor = reply.cursor;
    for (const answer of sent) this.answers.delete(answer.turn);
    const turns = new Map<string, Turn>();
    for (const result of reply.results) {
      const again = this.rejected(result);
      if (again) turns.set(again.turn, again);
    }
    for (const answer of sent) if (!this.answers.has(answer.turn)) this.answered.delete(answer.turn);
    for (const turn of reply.turns) turns.set(turn.turn, turn);
    await Promise.all([...turns.values()].filter((turn) => !this.answers.has(turn.turn)).map((turn) => this.think(turn)));
    await this.lookAtQuietGames();
  }

  /** Say good-bye, so that nothing begins for the bot by itself, and play what has begun to its end. */
  async leave(): Promise<void> {
    this.cursor = undefined;
    const until = Date.now() + (this.options.tournaments ? LINGER : 0);
    this.leaving = true;
    for (;;) {
      const reply = await this.repeated((signal) => this.client.DELETE("/v1/presence", { signal }));
      if (reply === undefined) return;
      const left = value(reply);
      for (const game of left.games) this.game(game, "");
      if (this.games.size === 0 && Date.now() >= until) return;
      while (this.games.size > 0) await this.step();
      if (Date.now() < until) await this.step(Math.max(0.1, (until - Date.now()) / 1000));
    }
  }

  private async exchange(answers: Answer[], wait: number): Promise<Exchange | undefined> {
    const query = {
      wait: Math.round(wait * 1000) / 1000,
      rights: this.options.rights ?? false,
      tournaments: (this.options.tournaments ?? false) && !this.leaving,
      leaving: this.leaving,
      ...(this.cursor === undefined ? {} : { after: this.cursor }),
    };
    // An answer counts once, however often it arrives.
    const reply = await this.repeated(
      (signal) => this.client.POST("/v1/turns", { params: { query }, body: { answers }, signal }),
      wait,
    );
    if (reply === undefined) return undefined;
    try {
      return value(reply);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "invalid_cursor") throw error;
      this.cursor = undefined;
      return undefined;
    }
  }

  /**
   * Repeat a request, with growing pauses, until there is a reply of a service that can serve it. Returns undefined
   * if `options.signal` aborts, unless the bot is leaving.
   */
  private async repeated<R extends { response: Response }>(
    request: (signal: AbortSignal) => Promise<R>,
    wait = 0,
  ): Promise<R | undefined> {
    const stop = this.leaving ? undefined : this.options.signal;
    const until = Date.now() + 1000 * (this.options.patience ?? PATIENCE);
    for (let pause = 250; !stop?.aborted; pause = Math.min(2 * pause, 15_000)) {
      let failure: Error;
      let after = 0;
      try {
        const timeout = AbortSignal.timeout((wait + TIMEOUT) * 1000);
        const reply = await request(stop ? AbortSignal.any([stop, timeout]) : timeout);
        const { status, headers } = reply.response;
        if (status !== 429 && status < 500) return reply;
        failure = new ApiError(status, undefined);
        after = 1000 * (Number(headers.get("Retry-After")) || 0);
      } catch (error) {
        if (stop?.aborted) return undefined;
        failure = error instanceof Error ? error : new Error(String(error));
      }
      const milliseconds = Math.max(after, pause * (0.5 + Math.random() / 2));
      if (Date.now() + milliseconds > until) throw failure;
      this.say(`${failure.cause ?? failure.message}; again in ${(milliseconds / 1000).toFixed(1)} s`);
      await sleep(milliseconds, stop);
    }
    return undefined;
  }

  /**
   * Report a rejected answer, and return the turn to decide in its place, if any. What the service takes for illegal
   * although the turn said that it is legal is answered with the default action.
   */
  private rejected(result: Result): Turn | undefined {
    if (result.status === "accepted") return undefined;
    const why = `${result.status}: ${result.message}`;
    if (result.status === "illegal_action" || result.status === "malformed") {
      const turn = this.answered.get(result.turn ?? "");
      if (turn !== undefined && !result.forfeited) {
        this.playOn(turn, why);
        return undefined;
      }
    }
    this.say(`${result.turn}: ${why}`);
    if (result.status !== "stale_turn") return undefined;
    const fresh = result.fresh;
    return fresh && (this.options.rights || !fresh.optional) ? fresh : undefined;
  }

  private async think(turn: Turn): Promise<void> {
    const game = this.game(turn.game, turn.kind);
    game.pause = FIRST_LOOK;
    game.due = Date.now() + FIRST_LOOK;
    try {
      let bot = game.seats.get(turn.seat);
      if (bot === undefined) {
        const made = this.make();
        bot = typeof made === "function" ? { choose: made } : made;
        game.seats.set(turn.seat, bot);
        this.say(`${turn.kind} ${turn.game} seat ${turn.seat}: sat down`);
      }
      // What the bot does to its list leaves ours as it is.
      const action = await bot.choose({ ...turn, legal_actions: [...turn.legal_actions] });
      if (action !== null && turn.legal_actions.includes(action)) this.answer(turn, action);
      else if (action !== null || !turn.optional) this.playOn(turn, `${String(action)} is not legal`);
    } catch (error) {
      const text = error instanceof Error ? error.stack ?? error.message : String(error);
      this.playOn(turn, `the bot failed: ${text}`);
    }
  }

  private answer(turn: Turn, action: string): void {
    this.answers.set(turn.turn, { turn: turn.turn, action });
    this.answered.set(turn.turn, turn);
  }

  /** Report a failure of the bot, and play the turn's default action; an optional turn has none, and passes. */
  private playOn(turn: Turn, why: string): void {
    const action = turn.default_action;
    this.say(`${turn.turn}: playing ${action}; legal: ${turn.legal_actions.join(", ")}; ${why}`);
    if (action !== null) this.answer(turn, action);
  }

  private game(id: string, kind: string): Game {
    let game = this.games.get(id);
    if (game === undefined) {
      game = { kind, seats: new Map(), pause: FIRST_LOOK, due: Date.now() + FIRST_LOOK };
      this.games.set(id, game);
    }
    return game;
  }

  /** How long to wait for turns: until the next look at a game at most. */
  private untilLook(wait: number): number {
    const due = Math.min(...[...this.games.values()].map((game) => game.due));
    return Math.max(0, Math.min(wait, (due - Date.now()) / 1000));
  }

  private async lookAtQuietGames(): Promise<void> {
    for (const [id, game] of this.games) {
      if (game.due > Date.now()) continue;
      const path = { game: id };
      const reply = await this.repeated((signal) => this.client.GET("/v1/games/{game}", { params: { path }, signal }));
      if (reply === undefined) return;
      if ([403, 404, 410].includes(reply.response.status)) {
        this.end(id, `${game.kind} ${id}: gone`);
        continue;
      }
      const view = value(reply);
      if (view === undefined || LIVE.includes(view.state)) {
        game.pause = Math.min(2 * game.pause, LONGEST_PAUSE);
        game.due = Date.now() + game.pause;
        continue;
      }
      const outcome = view.outcome;
      for (const seat of game.seats.keys()) {
        const how = outcome ? `place ${outcome.places[seat]}, score ${outcome.scores[seat]}` : view.state;
        this.say(`${view.kind} ${id} seat ${seat}: ${how}`);
      }
      this.end(id);
    }
  }

  private end(id: string, line?: string): void {
    if (line !== undefined) this.say(line);
    this.games.delete(id);
    this.over += 1;
  }
}

/**
 * Play all games of the bot of the client's token until `options.games` are over or `options.signal` aborts; then
 * the bot says good-bye and plays what has begun to its end. Throws {@link ApiError} for a refused token.
 */
export async function play(client: Client, make: () => SeatBot, options: PlayOptions = {}): Promise<Player> {
  const player = new Player(client, make, options);
  while (!options.signal?.aborted && player.over < (options.games ?? Infinity)) await player.step();
  await player.leave();
  return player;
}

/** Wait; an abort of `stop` ends it. */
function sleep(milliseconds: number, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stop?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
