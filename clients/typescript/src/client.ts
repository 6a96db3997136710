import createClient, { type Client as FetchClient } from "openapi-fetch";
import type { components, paths } from "./api.js";

/** Every operation of the service, with the types of `openapi.yaml`: `client.GET("/v1/games/{game}", ...)`. */
export type Client = FetchClient<paths>;

/** The body of an error: RFC 9457, with a stable `code`. */
export type Problem = components["schemas"]["Problem"];

/** The service refused a request. */
export class ApiError extends Error {
  /** `status`: of HTTP. `problem`: the body; undefined if it is no problem document, as of a proxy. */
  constructor(
    readonly status: number,
    readonly problem: Problem | undefined,
  ) {
    super(problem ? `${problem.detail} (${problem.code})` : `the service replied with status ${status}`);
    this.name = "ApiError";
  }

  /** The stable code, as in docs/errors.md; empty if the reply has none. */
  get code(): string {
    return this.problem?.code ?? "";
  }
}

/** A client of the service at `url`, for the owner or bot of `token` (none: a visitor). */
export function connect(url: string, token?: string): Client {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return createClient<paths>({ baseUrl: url.replace(/\/+$/, ""), headers });
}

/** The body of a successful reply. Throws {@link ApiError} for any other. */
export function value<T>(reply: { data?: T; error?: unknown; response: Response }): T {
  if (!reply.response.ok) {
    const body = reply.error as Problem | undefined;
    throw new ApiError(reply.response.status, typeof body?.code === "string" ? body : undefined);
  }
  return reply.data as T;
}
