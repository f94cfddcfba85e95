import type { ApprovalView } from "countersign/hono";
import type { Harness } from "./harness.js";

interface World {
  harness: Harness;
  approval: ApprovalView;
}

interface HeldDecision extends Record<string, unknown> {
  /** Who decides. @default "finance" */
  token?: string;
  /** @default "approve" */
  type?: string;
}

/** Decides the call of a world and takes that back, over the API. */
export function onHold({ harness, approval: { id, digest } }: World) {
  const post = (token: string, path: string, body?: unknown) =>
    harness.call(token, `/approvals/${id}/${path}`, {
      method: "POST",
      ...(body === undefined ? {} : { body }),
    });
  return {
    /** Decides the call, with a time in which that may be taken back. */
    held: (holdMs: unknown, { token = "finance", type = "approve", ...more }: HeldDecision = {}) =>
      post(token, "decision", { type, digest, holdMs, ...more }),
    takeBack: (token = "finance") => post(token, "take-back"),
    /** The types of the log's entries about the call, oldest first. */
    types: async () => (await harness.store.auditTrail("acme", id)).map(({ type }) => type),
  };
}
