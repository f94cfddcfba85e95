import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { optionMs, wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { type Principal, principalSchema } from "@countersign/policy/internal/shared/principal";
import { fieldProblems, zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import {
  fingerprintSchema,
  type OperatorConfirmationActionFingerprint,
} from "../evidence/action-fingerprint.js";
import { parsePresented } from "../evidence/confirmation-envelope.js";
import { type EvidenceOrigin, evidenceOrigins } from "../evidence/evidence-claims.js";
import { createEvidenceSigner } from "../evidence/evidence-signer.js";
import {
  type ConfirmationRefusal,
  confirmationOf,
  confirmationRefusal,
  type TrustedOperatorConfirmationEvidence,
} from "../evidence/operator-confirmation.js";
import type { SigningKey } from "../evidence/signing-key.js";
import type { Store } from "../store/opaque-store.js";
import { storeVerbs } from "../store/store.js";
import { type ConfirmationChannelPlan, confirmationChannelPlan } from "./channel-plan.js";

export interface OperatorConfirmationsOptions {
  store: Store;
  /** The key that signs the evidence, as for `createCountersign`. */
  signingKey: SigningKey;
  /**
   * `"report-only"`: consuming evidence shows that somebody confirmed, and permits nothing. `"authorizing"`: it permits
   * one dispatch of exactly this action.
   * @default "report-only"
   */
  mode?: ConfirmationChannelPlan["mode"];
  /** Lifetime of evidence, from a second to an hour. @default "5m" */
  ttl?: string;
}

export interface RecordedConfirmation {
  /** The person who confirmed, from a verified session. */
  principal: Principal;
  action: OperatorConfirmationActionFingerprint;
  origin: EvidenceOrigin;
  /** Overrides the option `ttl`, up to an hour. */
  ttl?: string;
}

export interface ConfirmationToConsume {
  tenantId: string;
  /** The evidence as received, or its envelope: a plain object, never a string to parse. */
  evidence: unknown;
  /** The action that is about to happen. */
  action: OperatorConfirmationActionFingerprint;
}

/** The result of consuming evidence. No confirmation ever overrides a monitor's block. */
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
   * Records that a verified person confirmed an action. Call it right after the confirmation in your own interface.
   * @throws CountersignError `invalid_request`, naming the field.
   */
  record(confirmation: RecordedConfirmation): Promise<TrustedOperatorConfirmationEvidence>;
  /** Consumes evidence for one action. Invalid evidence is a result, not an error. */
  consume(confirmation: ConfirmationToConsume): Promise<ConsumedConfirmation>;
  /** The channels of confirmations in the mode of these. */
  channelPlan(): ConfirmationChannelPlan;
}

const maxTtlMs = 3_600_000;
const nothing = { dispatchAllowed: false, canOverrideMonitorBlock: false, authorization: "none" } as const;

/**
 * Signed evidence of operators' confirmations outside of approvals: for one action, once.
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
  const { mode = "report-only" } = options;
  const store = storeVerbs(options.store);
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
      const presented = unlessItThrows(() => parsePresented(evidence));
      if (!presented?.success) {
        return refused(tenantId, confirmationRefusal("not_evidence", fieldOf(presented?.error, "evidence")));
      }
      const atHand = unlessItThrows(() => fingerprintSchema.safeParse(action));
      if (!atHand?.success) {
        return refused(tenantId, confirmationRefusal("invalid_action", fieldOf(atHand?.error, "action")));
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
    channelPlan: () => confirmationChannelPlan({ mode }),
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
  const words = zodProblems(parsed.error).join("; ");
  throw new CountersignError("invalid_request", `The confirmation cannot be recorded: ${words}`);
}

/** The result of reading a foreign object, whose getters may throw. */
function unlessItThrows<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The path of the first invalid field. Unknown fields are named as well, truncated. */
function fieldOf(error: z.ZodError | undefined, whole: string): string {
  const [first] = error ? fieldProblems(error) : [];
  return first ? cutText(first.field, 100) || whole : whole;
}

function ttlOf(text: string): number {
  const ms = optionMs("ttl", text);
  if (ms > maxTtlMs) throw wrongOption("ttl", 'must be at most one hour, such as "5m"');
  return Math.round(ms);
}
