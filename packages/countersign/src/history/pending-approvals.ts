import type { Policy } from "@countersign/policy/internal/policy/policy";
import { mergeTerms } from "@countersign/policy/internal/policy/rules/merge-terms";
import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";
import {
  type PendingApproval,
  pendingApprovalOf,
  pendingApprovalStatuses,
} from "../approval/pending-approval.js";
import type { Refusal } from "../approval/refusal-text.js";
import { toolInputJson } from "../approval/tool-input.js";
import { proposedCall } from "../call/judge/proposed-call.js";
import type { Runtime } from "../call/run/runtime.js";
import type { Decide } from "../decision/decide.js";
import type { GateRuntime } from "../gate/gate.js";
import { proposeCalls } from "../gate/propose-calls.js";

/** The parts of an instance that pending approvals need. */
export interface PendingApprovalsRuntime
  extends GateRuntime,
    Pick<Runtime, "tenantId" | "redactPatterns" | "timeoutMs" | "notifyTargets"> {
  decide: Decide;
}

/** For approvals of another tenant than the instance's own. */
export interface InTenant {
  /** Verified by the host. @default the instance's `tenantId` */
  tenantId?: string;
}

/**
 * The three methods that extend HistoryConfig for approvals. All throw a CountersignError `invalid_request` that names
 * the invalid field.
 */
export interface PendingApprovals {
  /**
   * Saves an approval that the host itself waits for: `approvalEvents.hitlResolved` is sent when it was decided, has
   * expired or was withdrawn. Idempotent.
   *
   * @param details `userId` is the person who asked the agent to act.
   * @default the owner of the thread, if Countersign knows the thread
   * @throws CountersignError `call_refused` if too many calls are pending, or the same one is; `approval_id_taken`
   * if the id already belongs to another call.
   */
  savePendingApproval(details: PendingApproval & InTenant & { userId?: string }): Promise<void>;
  /**
   * Records a decision made by `resolvedBy`, whose identity and roles the host has verified. Does nothing if this person
   * has made the same decision already, such as in the inbox.
   *
   * Without `resolvedBy`, decides nothing and only checks that the approval has ended with this status. An approval that
   * has expired or was withdrawn counts as denied.
   *
   * @throws CountersignError as `countersign.decide` does; `unauthenticated` without `resolvedBy` if nobody has decided
   * and there is time left.
   */
  resolvePendingApproval(
    details: {
      approvalId: string;
      status: "approved" | "denied";
      /** Not stored: decisions carry the database's time. */
      resolvedAt: Date;
      resolvedBy?: string | null | undefined;
      /** A call whose rule names roles can only be decided with one of them. */
      roles?: string[];
    } & InTenant,
  ): Promise<void>;
  /**
   * Approvals of a thread or a user, oldest first, with redacted arguments; at most 500. `status` is `pending` by
   * default.
   */
  listPendingApprovals(
    filters: { threadId?: string; userId?: string; status?: PendingApproval["status"] } & InTenant,
  ): Promise<PendingApproval[]>;
}

const name = text.min(1);
/** Events carry these, and an engine that refuses one event holds back all later ones of the tenant. */
const eventName = name.max(200);
export const inTenant = { tenantId: name.optional() };

const detailsSchema = z.object({
  approvalId: eventName,
  threadId: eventName,
  eventIdToWaitFor: eventName,
  toolName: eventName,
  toolCallId: text,
  status: z.literal(
    "pending",
    'only "pending" approvals can be saved; decide them with resolvePendingApproval',
  ),
  createdAt: z.date(),
  expiresAt: z.date().optional(),
  userId: name.optional(),
  ...inTenant,
});

const filtersSchema = z.object({
  threadId: name.optional(),
  userId: name.optional(),
  status: z.enum(pendingApprovalStatuses).default("pending"),
  ...inTenant,
});

/** Parses the value by its schema and adds the other problems; throws an error that names every field. */
export function parse<T extends z.ZodType>(
  schema: T,
  value: unknown,
  what: string,
  problems: string[] = [],
): z.output<T> {
  const parsed = schema.safeParse(value);
  const issues = parsed.error ? zodProblems(parsed.error) : [];
  const all = [...issues, ...problems];
  if (parsed.success && all.length === 0) return parsed.data;
  throw new CountersignError("invalid_request", `${what}: ${all.join("; ")}`);
}

export async function savePendingApproval(
  runtime: PendingApprovalsRuntime,
  given: Parameters<PendingApprovals["savePendingApproval"]>[0],
): Promise<void> {
  const input = toolInputJson(given.toolInput);
  const wrongInput = input.ok ? [] : [`toolInput: ${input.problem}`];
  const details = parse(detailsSchema, given, "The approval cannot be saved", wrongInput);
  const { tenantId = runtime.tenantId, approvalId, threadId, toolName, createdAt, expiresAt } = details;
  const inputJson = input.ok ? input.json : "";
  const { store } = runtime;
  const existing = await store.getApproval(tenantId, approvalId);
  if (existing && !isSame(existing, details, inputJson)) throw idTaken();
  const requestId = existing?.requestId ?? derivedId("req", "saved", approvalId);
  const describe = ({ version: policyVersion }: Policy) =>
    proposedCall(runtime, mergeTerms("ask", []), {
      id: approvalId,
      toolCallId: details.toolCallId,
      toolName,
      toolVersion: "saved-by-host",
      inputJson,
      policyVersion,
      // The host waits as long as it said.
      stored: { extensions: 0 },
      ...(expiresAt && { timeoutMs: Math.max(1000, expiresAt.getTime() - createdAt.getTime()) }),
      awaitedEventId: details.eventIdToWaitFor,
    });
  const [outcome] = await proposeCalls(runtime, {
    requestId,
    tenantId,
    threadId,
    runId: null,
    appId: null,
    agentName: null,
    requesterId: details.userId ?? (await store.getThread(tenantId, threadId))?.ownerId ?? null,
    steps: 0,
    calls: [
      {
        position: 0,
        toolName,
        input: given.toolInput,
        // Somebody else may have saved it in the meantime, or another tenant long ago.
        isSame: (row) =>
          row.id === approvalId && row.tenantId === tenantId && isSame(row, details, inputJson),
        judge: (policy) => ({ kind: "gated", verdict: "ask", describe: () => describe(policy) }),
      },
    ],
  });
  if (!outcome || outcome.kind === "taken") throw idTaken();
  const isRefused = outcome.kind === "refused" && outcome.approval?.withdrawalCause !== null;
  if (isRefused) throw refusedBecause(outcome.refusal);
  await store.announce(requestId);
}

/** Whether an id was used for this exact call before. The policy's version and the times may have changed since. */
function isSame(saved: Approval, details: z.output<typeof detailsSchema>, inputJson: string): boolean {
  return (
    saved.runId === null &&
    saved.awaitedEventId === details.eventIdToWaitFor &&
    saved.threadId === details.threadId &&
    saved.toolName === details.toolName &&
    saved.toolCallId === details.toolCallId &&
    hashCanonical(JSON.parse(saved.inputJson)) === hashCanonical(JSON.parse(inputJson))
  );
}

function idTaken(): CountersignError {
  return new CountersignError(
    "approval_id_taken",
    "approvalId: another call already has this id. Nothing was saved; use a unique id, such as a random UUID",
  );
}

function refusedBecause({ code, message, approvalId }: Refusal): CountersignError {
  return new CountersignError("call_refused", message, { detail: { refusal: code, approvalId } });
}

export const statusesOf = {
  pending: ["pending"],
  approved: ["approved", "responded", "executing", "executed", "failed", "interrupted"],
  denied: ["denied"],
} as const;

export async function listPendingApprovals(
  runtime: PendingApprovalsRuntime,
  given: Parameters<PendingApprovals["listPendingApprovals"]>[0],
): Promise<PendingApproval[]> {
  const filters = parse(filtersSchema, given, "The approvals cannot be listed");
  const { tenantId = runtime.tenantId, threadId, userId, status } = filters;
  const approvals = await runtime.store.listApprovals({
    tenantId,
    statuses: statusesOf[status],
    ...(threadId === undefined ? {} : { threadId }),
    ...(userId === undefined ? {} : { requesterId: userId }),
    limit: 500,
  });
  return approvals.map((approval) => pendingApprovalOf(approval, status));
}
