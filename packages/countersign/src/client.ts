import type * as z from "zod";
import type { ContractOf } from "./api/contract/contract.js";
import { type EndpointName, endpoints } from "./api/endpoints.js";
import { ApprovalsApiError, problemFrom } from "./client/errors.js";
import { type ApprovalEvent, type FollowOptions, followEvents } from "./client/follow-events.js";
import type { ApprovalsClientOptions } from "./client/options.js";
import { connected, sendRequest } from "./client/send-request.js";

export type { ApprovalView } from "./api/contract/approval-schemas.js";
export type { ContractOf } from "./api/contract/contract.js";
export type { EventData, EventName } from "./api/contract/event-schemas.js";
export type { Problem } from "./api/contract/problem-schema.js";
export type { EndpointName } from "./api/endpoints.js";
export { ApprovalsApiError, ApprovalsConnectionError } from "./client/errors.js";
export type { ApprovalEvent, FollowOptions } from "./client/follow-events.js";
export type { ApprovalsClientOptions } from "./client/options.js";

/** The query parameters that an endpoint takes. */
export type QueryOf<Name extends EndpointName> =
  ContractOf<Name> extends { query: infer Schema extends z.ZodType } ? Partial<z.input<Schema>> : never;
/** The body that an endpoint takes. */
export type BodyOf<Name extends EndpointName> =
  ContractOf<Name> extends { body: infer Schema extends z.ZodType } ? z.input<Schema> : never;

/** The options of one call. Parts that the endpoint does not have are rejected by the type. */
export type CallOptions<Name extends EndpointName> = (BodyOf<Name> extends never
  ? unknown
  : { body: BodyOf<Name> }) &
  (QueryOf<Name> extends never ? unknown : { query?: QueryOf<Name> }) &
  ((typeof endpoints)[Name]["path"] extends `${string}:id${string}` ? { id: string } : unknown) & {
    signal?: AbortSignal;
    /** Lets a browser finish the request after its page is closed. @default false */
    keepalive?: boolean;
  };

/** The response of an endpoint. */
export type AnswerOf<Name extends EndpointName> = z.output<ContractOf<Name>["response"]>;

/** Calls one endpoint. */
export type ClientCall<Name extends EndpointName> =
  Record<never, never> extends CallOptions<Name>
    ? (options?: CallOptions<Name>) => Promise<AnswerOf<Name>>
    : (options: CallOptions<Name>) => Promise<AnswerOf<Name>>;

/** One function per endpoint that responds with JSON. */
export type ApprovalCalls = { readonly [Name in EndpointName]: ClientCall<Name> };

/** One function per endpoint of the API, and `followEvents`. */
export interface ApprovalsClient extends ApprovalCalls {
  /**
   * Follows the events that the caller may see, until `signal` aborts or the server ends the stream. It does not
   * reconnect: pass the last event's `id` as `after` to resume without a gap.
   *
   * @throws ApprovalsApiError if the API refuses the stream, and ApprovalsConnectionError if the connection breaks.
   */
  readonly followEvents: (options?: FollowOptions) => AsyncGenerator<ApprovalEvent, void>;
}

/**
 * A typed client of the approvals API, for browsers, servers and tests.
 *
 * @throws ApprovalsApiError from each call that the API answers with a problem. ApprovalsConnectionError if there is no
 * complete response. A call that you abort rejects with your signal's reason.
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
    (given: AnyCallOptions = {}) => call(options, endpoints[name as EndpointName], given),
  ]);
  return {
    ...(Object.fromEntries(calls) as ApprovalCalls),
    followEvents: (followed) => followEvents(options, followed),
  };
}

/** The options of any call. All parts are optional. */
interface AnyCallOptions {
  id?: string;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  keepalive?: boolean;
}

async function call(
  options: ApprovalsClientOptions,
  { method, path }: { method: string; path: string },
  { id, signal, ...rest }: AnyCallOptions,
): Promise<unknown> {
  const { timeoutMs, onServerTime } = options;
  const at = path.replace(":id", encodeURIComponent(id ?? ""));
  const request = { ...rest, method, path: at, accept: "application/json", signal, timeoutMs };
  const response = await sendRequest(options, request);
  const text = await connected(() => response.text(), signal);
  if (!response.ok) throw new ApprovalsApiError(problemFrom(response, text));
  const answer: unknown = await connected(async () => JSON.parse(text), signal);
  const serverTime = serverTimeOf(answer) ?? response.headers.get("date");
  if (serverTime) onServerTime?.(new Date(serverTime));
  return answer;
}

function serverTimeOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("serverTime" in answer)) return undefined;
  return typeof answer.serverTime === "string" ? answer.serverTime : undefined;
}
