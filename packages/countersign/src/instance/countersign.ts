import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Tracer } from "@countersign/policy/internal/shared/span";
import type { Inngest, InngestFunction } from "inngest";
import type { Approval } from "../approval/approval.js";
import type { AuditVerification } from "../audit/audit-entry.js";
import type { AuditHead } from "../audit/audit-head.js";
import type { Channel } from "../channel/channel.js";
import type { ApprovalActions } from "../decision/approval-actions.js";
import type { PersonsDecision } from "../decision/decide.js";
import type { Limits } from "../decision/limits.js";
import type { SigningKey } from "../evidence/signing-key.js";
import type { HistoryOptions } from "../history/history-window.js";
import type { PendingApprovals } from "../history/pending-approvals.js";
import type { Threads } from "../history/threads.js";
import type { HumanInputTool } from "../questions/request-human-input.js";
import type { Store } from "../store/opaque-store.js";
import type { UndoManyRequest, UndoRequest, UndoResult } from "../undo/request-undo.js";
import type { UndoableTools } from "../undo/undoable-tools.js";
import type { GatedFunctions, PlainFunctions } from "../ways/functions/apply-profile.js";
import type { ApprovalRequest } from "../ways/functions/approval-request.js";
import type { ApplyProfileOptions } from "../ways/functions/profile-options.js";
import type { ApprovalAnswer, ApprovalSteps } from "../ways/functions/require-approval.js";
import type { RunGate, RunGateOptions } from "../ways/loop/run-gate.js";
import type { ExternalCalls } from "../ways/programs/external-call.js";
import type { CloseOptions } from "./close.js";

export interface CountersignOptions {
  /** The Inngest client of the app that runs the agents. */
  inngest: Inngest.Any;
  /**
   * `postgresStore(…)` or `pgliteStore(…)`.
   * @default in development, PGlite in the folder `.countersign`, which migrates itself; with `NODE_ENV=test`, PGlite in
   * memory; in production, none: an error
   */
  store?: Store;
  /**
   * Which calls may run, which need approval, and which are forbidden.
   * @default the tools marked with `needsApproval()` and those of MCP servers need approval, and all others may run
   */
  policy?: Policy;
  /**
   * Prefix of the ids of Countersign's Inngest functions: `"billing"` makes `billing-orchestrator` and so on. Instances
   * on one Inngest client need different ones. Changing it strands waiting runs, so let them end first.
   * @default "countersign"
   */
  id?: string;
  /** A candidate that is evaluated beside `policy` and decides nothing. Differences are written to the audit log. */
  shadowPolicy?: Policy;
  /**
   * Where this instance logs: a message, and fields with ids and codes. The console, pino, winston and the `logger` of
   * an Inngest client fit.
   * @default the console
   */
  logger?: Logger;
  /**
   * Gets a span for each proposal, decision, claim, handler and delivery: `trace.getTracer("countersign")` of
   * `@opentelemetry/api`. @default no spans
   */
  tracer?: Tracer;
  /** With `"on-new-message"`, a new message in a thread withdraws the thread's pending calls. @default "never" */
  supersede?: "never" | "on-new-message";
  /**
   * Names or globs of tools whose handlers use steps or start agents, and that you cannot wrap in `durable()`. Inngest
   * functions among an agent's tools are always durable.
   * @default []
   */
  durableTools?: readonly string[];
  /**
   * Tools whose calls can be undone, with `withUndo` or an `undo` of `gateTool`: a list, or an object with the tools by
   * their names. An undo runs outside of the agent's run, wherever `countersign.functions` are served.
   * @default []
   */
  undoable?: UndoableTools;
  /** Approval timeout, from one second to 365 days. @default "30m" */
  timeout?: string;
  /**
   * Patterns that are redacted in every call, in addition to those of the rules: `"card_number"`, `"email"`, `"iban"`,
   * `"bearer_token"`, `"jwt"` or regular expressions in RE2 syntax. People and other systems do not see the matches.
   * @default []
   */
  redactPatterns?: readonly string[];
  /** How much of a thread a run gets. */
  history?: HistoryOptions;
  /**
   * Places outside the inbox that notify people about approvals and may let them decide. A rule names them with
   * `notify` and `decideIn`.
   * @default []
   */
  channels?: readonly Channel[];
  /** Address of the inbox, for links in messages of channels: `"https://desk.example.com/inbox"`. @default no links */
  inboxUrl?: string;
  /** Limits on approval requests, on the size of arguments and results, and on the steps of a run. */
  limits?: Limits;
  /** Tenant of runs and of signed-in people that name none. @default "default" */
  tenantId?: string;
  /**
   * Secret that signs the decisions of people. A call then only starts with the signed evidence of its decision, so
   * write access to the database is not enough to start one. At least 32 bytes, or `{ current, previous, ttl }` to
   * rotate keys.
   * @default none: the row in the database is enough
   */
  signingKey?: SigningKey;
}

/** One instance: the gates, the Inngest functions, the threads, and everything that the API needs. */
export interface Countersign extends ApprovalActions {
  /** Add to `serve({ functions: [...countersign.functions, yours] })`. */
  readonly functions: InngestFunction.Any[];
  readonly store: Store;
  readonly logger: Logger;
  /** Tenant of runs and of signed-in people that name none. */
  readonly tenantId: string;
  /** Approvals that your own code waits for. */
  readonly history: PendingApprovals;
  /** Opens and reads threads for a signed-in principal. */
  readonly threads: Threads;
  /** Records a verified principal's decision and wakes the run. */
  decide(input: PersonsDecision): Promise<Approval>;
  /**
   * Handles a request of a channel, such as a click in Slack. The channel verifies who sent it. The API calls this for
   * `POST /channels/<name>`. `undefined`: no channel of this name receives requests.
   */
  receive(channel: string, request: Request): Promise<Response | undefined>;
  /** The public key with which browsers subscribe to push messages; `null` without a `pushChannel` in `channels`. */
  readonly pushKey: string | null;
  /**
   * Checks changed arguments as for an edit, without deciding anything.
   * @throws CountersignError `invalid_edit` naming the fields, or `edit_not_allowed`.
   */
  checkEdit(edit: EditToCheck): Promise<{ inputJson: string; digest: string }>;
  readonly policy: Policy;
  /** The tool `request_human_input`, with which an agent asks a person. */
  requestHumanInput(terms?: Pick<Terms, "approvers" | "timeout" | "risk">): HumanInputTool;
  /**
   * The same gate for a plain Inngest function.
   * @throws CountersignError `invalid_request` naming the field, `outside_inngest` outside a function.
   */
  requireApproval(step: ApprovalSteps, request: ApprovalRequest): Promise<ApprovalAnswer>;
  /**
   * The gate for an agent without AgentKit: a loop of your own, or any library that lets you run its tools. Make one for
   * each run of your Inngest function, in the handler. Its calls have everything that AgentKit's have: edits, answers,
   * questions, quorums, grants, stops, and withdrawal when the run ends.
   * @throws CountersignError `outside_inngest`, `invalid_option` or `invalid_context`, naming the field.
   *
   * @example
   * ```ts
   * import { type Countersign, gateTool } from "countersign";
   * import type { Inngest } from "inngest";
   * import { z } from "zod";
   *
   * const issueRefund = gateTool({
   *   name: "issue_refund",
   *   inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
   *   execute: ({ orderId, amount }) => `refunded ${amount} for ${orderId}`,
   * });
   *
   * export const refund = (inngest: Inngest, countersign: Countersign) =>
   *   inngest.createFunction({ id: "refund", triggers: [{ event: "desk/refund" }] }, async ({ event, step }) => {
   *     const gate = countersign.gate({ step, context: { requester: { id: event.data.userId } } });
   *     const { status, content } = await gate.call(issueRefund, { id: "refund", input: event.data.input });
   *     return { status, content };
   *   });
   * ```
   */
  gate(options: RunGateOptions): RunGate;
  /**
   * Gates plain functions by a profile of the policy, for use inside an Inngest function: each call is allowed, denied
   * or waits for a person, as a tool call of an agent with this profile.
   * @throws CountersignError `invalid_option`, naming the field. A call throws `ToolCallDeniedError` if it is refused,
   * `outside_inngest`, or `invalid_request` for arguments that JSON cannot hold.
   *
   * @example
   * ```ts
   * import type { Countersign } from "countersign";
   * import type { Inngest } from "inngest";
   *
   * declare function writeFile(path: string, text: string): Promise<number>;
   *
   * export const publish = (inngest: Inngest, countersign: Countersign) =>
   *   inngest.createFunction({ id: "publish", triggers: [{ event: "site/publish" }] }, async ({ event }) => {
   *     const tools = countersign.applyProfile(
   *       { write_file: ({ path, text }: { path: string; text: string }) => writeFile(path, text) },
   *       { profile: "supervised", requester: { id: event.data.userId } },
   *     );
   *     return tools.write_file({ path: "index.html", text: event.data.text });
   *   });
   * ```
   */
  applyProfile<Fns extends PlainFunctions>(fns: Fns, options: ApplyProfileOptions): GatedFunctions<Fns>;
  /**
   * Takes back a call that has run, in the name of a person who may decide it: proposes its undo under the policy for
   * `<tool>.undo`, and approves it as far as they may. See docs/undo.md.
   *
   * @returns the undo, which is a call of its own
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, `digest_mismatch`, or `not_undoable` with the reason.
   *
   * @example
   * ```ts
   * import type { Approval, Countersign, Principal } from "countersign";
   *
   * export const takeBack = (countersign: Countersign, { id, digest }: Approval, principal: Principal) =>
   *   countersign.undo({ principal, approvalId: id, digest, reason: "Wrong address" });
   * ```
   */
  undo(request: UndoRequest): Promise<Approval>;
  /**
   * Takes back several calls, as `undo` does, that of the latest call first. A call that cannot be undone is left, and holds
   * up no other.
   *
   * @returns for each call, in the order of the request, its undo or why there is none
   * @throws CountersignError `invalid_request` with more than 50 calls.
   */
  undoMany(request: UndoManyRequest): Promise<UndoResult[]>;
  /** The same gate for programs outside of AgentKit, which make their calls themselves. */
  readonly externalCalls: ExternalCalls;
  /** Aborts when `close` is called. */
  readonly closing: AbortSignal;
  /**
   * Ends the instance before its process ends: calls start elsewhere from now on, event streams end, handlers that run may
   * end, and the store closes last. See docs/operating/operations.md, "End a process".
   *
   * @example
   * ```ts
   * import type { Server } from "node:http";
   * import type { Countersign } from "countersign";
   *
   * export function endWell(server: Server, countersign: Countersign): void {
   *   process.once("SIGTERM", async () => {
   *     const after = new Promise((done) => server.close(done)); // takes no more requests
   *     await countersign.close({ after });
   *     process.exit(0);
   *   });
   * }
   * ```
   */
  close(options?: CloseOptions): Promise<void>;
  /** Verifies a tenant's audit log. With a `signingKey`, each sealed segment must be signed. */
  verifyAudit(tenantId: string, anchor?: AuditHead): Promise<AuditVerification>;
}

/** Changed arguments, and the principal who would change them. */
export interface EditToCheck {
  approval: Approval;
  principal: Principal;
  input: unknown;
  /** Whether this person sees redacted values. */
  seesEverything: boolean;
}
