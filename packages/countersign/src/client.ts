import type { z } from "zod";
import type { ContractOf } from "./api/contract/contract.js";
import type { Problem } from "./api/contract/problem-schema.js";
import { type EndpointName, endpoints } from "./api/endpoints.js";

export type { ApprovalView } from "./api/contract/approval-schemas.js";
export type { Problem } from "./api/contract/problem-schema.js";

type Query<Name extends EndpointName> =
  ContractOf<Name> extends { query: infer Schema extends z.ZodType } ? Partial<z.input<Schema>> : never;
type Body<Name extends EndpointName> =
  ContractOf<Name> extends { body: infer Schema extends z.ZodType } ? z.input<Schema> : never;

/** What a call of the client takes; parts that the endpoint does not have cannot be given. */
export type CallOptions<Name extends EndpointName> = (Body<Name> extends never
  ? unknown
  : { body: Body<Name> }) &
  (Query<Name> extends never ? unknown : { query?: Query<Name> }) &
  ((typeof endpoints)[Name]["path"] extends `${string}:id${string}` ? { id: string } : unknown) & {
    signal?: AbortSignal;
    /** The same key with the same body gives the same answer: send it again where an answer got lost. */
    idempotencyKey?: string;
  };

/** What an endpoint answers. */
export type AnswerOf<Name extends EndpointName> = z.output<ContractOf<Name>["response"]>;

type Call<Name extends EndpointName> =
  Record<never, never> extends CallOptions<Name>
    ? (options?: CallOptions<Name>) => Promise<AnswerOf<Name>>
    : (options: CallOptions<Name>) => Promise<AnswerOf<Name>>;

/** One function for each endpoint of the API. */
export type ApprovalsClient = { readonly [Name in EndpointName]: Call<Name> };

export interface ApprovalsClientOptions {
  /** Where the API is mounted, such as `https://desk.example.com/api`; in a browser, `/api` will do. */
  baseUrl: string;
  /** A token for `Authorization: Bearer`, or a function that gives one before each request. Left out: cookies only. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Another `fetch`, for tests or for a server's own. */
  fetch?: (request: Request) => Promise<Response>;
}

/** An error that the API answered with: its status, its stable code and its whole problem. */
export class ApprovalsApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "ApprovalsApiError";
    this.status = problem.status;
    this.code = problem.code;
  }
}

/**
 * A typed client of the approvals API, for browsers, servers and tests.
 *
 * @throws ApprovalsApiError from every call that the API answers with a problem; what `fetch` throws where there is no
 * answer at all.
 *
 * @example
 * ```ts
 * import { createApprovalsClient } from "countersign/client";
 *
 * export async function approveFirst(token: string): Promise<string | undefined> {
 *   const approvals = createApprovalsClient({ baseUrl: "https://desk.example.com/api", token });
 *   const { items } = await approvals.listApprovals({ query: { status: "pending", sort: "expires" } });
 *   const [first] = items;
 *   if (!first) return undefined;
 *   const decided = await approvals.decide({ id: first.id, body: { type: "approve", digest: first.digest } });
 *   return decided.status;
 * }
 * ```
 */
export function createApprovalsClient(options: ApprovalsClientOptions): ApprovalsClient {
  const calls = Object.keys(endpoints).map((name) => [
    name,
    (given: Given = {}) => call(options, endpoints[name as EndpointName], given),
  ]);
  return Object.fromEntries(calls) as ApprovalsClient;
}

/** The options of any call, all parts of which may be missing. */
interface Given {
  id?: string;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

async function call(
  { baseUrl, token, fetch: send = fetch }: ApprovalsClientOptions,
  { method, path }: { method: string; path: string },
  { id, query = {}, body, signal, idempotencyKey }: Given,
): Promise<unknown> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  const at = `${baseUrl.replace(/\/+$/, "")}${path.replace(":id", encodeURIComponent(id ?? ""))}`;
  const bearer = typeof token === "function" ? await token() : token;
  const headers = new Headers({ accept: "application/json" });
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  if (body !== undefined) headers.set("content-type", "application/json");
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  const url = new URL(search ? `${at}?${search}` : at, globalThis.location?.href);
  const response = await send(
    new Request(url, {
      method: method.toUpperCase(),
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }),
  );
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw new ApprovalsApiError(problemFrom(response, text));
}

/** The problem of an answer; a proxy's answer, which is none of ours, becomes one. */
function problemFrom(response: Response, text: string): Problem {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null && "code" in problem && "status" in problem) {
      return problem as Problem;
    }
  } catch {
    // Not JSON: somebody in between has answered.
  }
  return {
    type: "about:blank",
    title: response.statusText || "The server did not answer as it should",
    status: response.status,
    code: "unexpected_answer",
    detail: `The server answered ${response.status} without saying why`,
    instance: new URL(response.url || "about:blank").pathname,
  };
}
