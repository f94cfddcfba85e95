import { z } from "zod";
import { durationMs, wrongOption } from "../auth/options.js";
import { CountersignError } from "../errors.js";
import { type Principal, principalSchema } from "../principal.js";
import type { Store } from "../store/store.js";
import { fingerprintSchema, type OperatorConfirmationActionFingerprint } from "./action-fingerprint.js";
import { type EvidenceOrigin, evidenceOrigins } from "./evidence-claims.js";
import { createEvidenceSigner } from "./evidence-signer.js";
import {
  type ConfirmationRefusal,
  confirmationOf,
  confirmationRefusal,
  confirmationSchema,
  type TrustedOperatorConfirmationEvidence,
} from "./operator-confirmation.js";
import type { SigningKey } from "./signing-key.js";

export interface OperatorConfirmationsOptions {
  store: Store;
  /** What signs the evidence; as for `createCountersign`. */
  signingKey: SigningKey;
  /**
   * `"report-only"` (where left out): what is consumed tells that somebody confirmed, and permits nothing.
   * `"authorizing"`: it permits one dispatch of exactly this action.
   */
  mode?: "report-only" | "authorizing";
  /** How long evidence is good for, from a second to an hour; `"5m"` where left out. */
  ttl?: string;
}

export interface RecordedConfirmation {
  /** Who confirmed, from a verified session. */
  principal: Principal;
  action: OperatorConfirmationActionFingerprint;
  origin: EvidenceOrigin;
  /** Shorter or longer than the option says, up to an hour. */
  ttl?: string;
}

export interface ConfirmationToConsume {
  tenantId: string;
  /** The evidence as it arrived: a plain object, never a text to be read. */
  evidence: unknown;
  /** The action that is about to happen. */
  action: OperatorConfirmationActionFingerprint;
}

/** What evidence came to. No confirmation ever overrides what a monitor blocks. */
export type ConsumedConfirmation = { canOverrideMonitorBlock: false } & (
  | {
      ok: true;
      evidence: TrustedOperatorConfirmationEvidence;
      dispatchAllowed: false;
      authorization: "none";
    }
  | {
      ok: true;
      evidence: TrustedOperatorConfirmationEvidence;
      dispatchAllowed: true;
      authorization: "single-use";
    }
  | { ok: false; refusal: ConfirmationRefusal; dispatchAllowed: false; authorization: "none" }
);

export interface OperatorConfirmations {
  /**
   * Records that a verified person confirmed an action; call it right after your own interface's confirmation.
   * @throws CountersignError `invalid_request`, naming the field.
   */
  record(confirmation: RecordedConfirmation): Promise<TrustedOperatorConfirmationEvidence>;
  /** Uses evidence up for one action. What is wrong with it is an answer, not an error. */
  consume(confirmation: ConfirmationToConsume): Promise<ConsumedConfirmation>;
}

const longestTtlMs = 3_600_000;
const nothing = { dispatchAllowed: false, canOverrideMonitorBlock: false, authorization: "none" } as const;

/**
 * Confirmations that operators give outside of approvals, as signed evidence for one action, once.
 *
 * @throws CountersignError `invalid_option`, naming the option and the fix.
 *
 * @example
 * ```ts
 * import type { Principal } from "countersign";
 * import { operatorConfirmations } from "countersign/evidence";
 * import { pgliteStore } from "countersign/pglite";
 *
 * const confirmations = operatorConfirmations({
 *   store: pgliteStore(),
 *   signingKey: process.env["COUNTERSIGN_SIGNING_KEY"] ?? "",
 * });
 *
 * export async function confirmed(principal: Principal) {
 *   const action = { actionKind: "destructive", toolName: "delete_file", path: "/srv/old" } as const;
 *   const evidence = await confirmations.record({ principal, action, origin: "runtime-ui-confirm" });
 *   return confirmations.consume({ tenantId: principal.tenantId, evidence, action });
 * }
 * ```
 */
export function operatorConfirmations(options: OperatorConfirmationsOptions): OperatorConfirmations {
  const { store, mode = "report-only" } = options;
  if (mode !== "report-only" && mode !== "authorizing") {
    throw wrongOption("mode", 'must be "report-only" or "authorizing"');
  }
  const defaultTtlMs = ttlOf(options.ttl ?? "5m");
  const signer = createEvidenceSigner(options.signingKey);

  const refused = async (tenantId: string, refusal: ConfirmationRefusal): Promise<ConsumedConfirmation> => {
    const { code, field } = refusal;
    await store.recordNote({ tenantId, type: "confirmation.refused", data: { code, field } });
    return { ok: false, refusal, ...nothing };
  };

  return {
    async record(confirmation) {
      const { principal, action, origin } = parseConfirmation(confirmation);
      const ttlMs = confirmation.ttl === undefined ? defaultTtlMs : ttlOf(confirmation.ttl);
      return confirmationOf(
        await store.recordConfirmation({ principal, action, origin, ttlMs }, signer),
        action,
      );
    },
    async consume({ tenantId, evidence, action }) {
      const presented = confirmationSchema.safeParse(evidence);
      if (!presented.success) {
        return refused(tenantId, confirmationRefusal("not_evidence", fieldOf(presented.error, "evidence")));
      }
      const atHand = fingerprintSchema.safeParse(action);
      if (!atHand.success) {
        return refused(tenantId, confirmationRefusal("invalid_action", fieldOf(atHand.error, "action")));
      }
      const used = await store.consumeConfirmation(
        { tenantId, presented: presented.data, action: atHand.data },
        signer,
      );
      if (!used.ok) return { ok: false, refusal: used.refusal, ...nothing };
      const consumed = confirmationOf(used.evidence, atHand.data);
      return mode === "authorizing"
        ? { ok: true, evidence: consumed, ...nothing, dispatchAllowed: true, authorization: "single-use" }
        : { ok: true, evidence: consumed, ...nothing };
    },
  };
}

const recordedSchema = z.object({
  principal: principalSchema,
  action: fingerprintSchema,
  origin: z.enum(evidenceOrigins),
});

function parseConfirmation(confirmation: RecordedConfirmation) {
  const parsed = recordedSchema.safeParse(confirmation);
  if (parsed.success) return parsed.data;
  const words = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw new CountersignError("invalid_request", `The confirmation cannot be recorded: ${words}`);
}

/** The first field that is wrong, by name; unknown fields are named as well, cut short. */
function fieldOf(error: z.ZodError, whole: string): string {
  const [issue] = error.issues;
  const field = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path[0];
  return field === undefined ? whole : String(field).slice(0, 100);
}

function ttlOf(text: string): number {
  const ms = durationMs("ttl", text);
  if (ms > longestTtlMs) throw wrongOption("ttl", 'must be at most an hour; write for example "5m"');
  return Math.round(ms);
}
