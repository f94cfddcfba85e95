import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, rowOf } from "../../testing/some-call-seen.js";
import { sealer } from "../../testing/some-decision-seen.js";
import { proposing, type SomeProposedCall } from "../../testing/some-proposal-seen.js";
import type { CallRow } from "../call-seen.js";
import type { UndoAsked } from "../ports/request-port.js";

/** The call to undo. */
const call = (parts: Partial<CallRow> = {}): CallRow => ({
  ...rowOf(someApproval({ id: "apr_0", status: "executed" })),
  ...parts,
});
const undoes = { approvalId: "apr_0", outcomeHash: "hash", askedBy: "ada", reason: null, after: null };
const undoCall = (undo?: UndoAsked): SomeProposedCall => ({ terms: { undoes }, ...(undo && { undo }) });
const until = (ms: number): UndoAsked => ({ roles: ["lead"], until: readPlus(ms) });

const undoing = (
  row: CallRow | undefined,
  undo: CallRow | null = null,
  asked?: UndoAsked,
  seals?: typeof sealer,
) => proposing({ calls: [undoCall(asked)] }, { undone: row ? [{ row, version: "800", undo }] : [] }, seals);

const taken = { code: "not_undoable", message: expect.stringContaining("Somebody else") };
const over = { code: "not_undoable", message: expect.stringContaining("time to undo") };

describe("a new undo", () => {
  it("becomes the one that undoes the call, if that is as it was read", async () => {
    const { changes, calls, prepared } = await undoing(call());
    expect(prepared.asked.undoes).toEqual(["apr_0"]);
    expect(changes?.approvals).toEqual([{ id: "apr_0", version: "800", set: { undoId: "apr_1" } }]);
    expect(calls).toMatchObject([{ id: "apr_1", status: "proposed", undo_token: null }]);
    // Whoever asked for it has acted, and not the requester.
    expect(changes?.audited).toMatchObject([{ type: "approval.proposed", actorId: "ada" }]);
  });

  it.each(["proposed", "pending", "approved", "executing", "responded", "failed", "interrupted"] as const)(
    "of a call that is %s is refused",
    async (status: ApprovalStatus) => {
      await expect(undoing(call({ status }))).rejects.toMatchObject(taken);
    },
  );

  it("of a call that is undone is refused", async () => {
    await expect(undoing(call({ undoneAt: readAt }))).rejects.toMatchObject(taken);
  });

  it("of a call that is not there is refused", async () => {
    await expect(undoing(undefined)).rejects.toMatchObject(taken);
    await expect(undoing(undefined, null, until(-1))).rejects.toMatchObject(taken);
  });

  it.each(["denied", "expired", "withdrawn", "failed"] as const)(
    "takes the place of one that is %s",
    async (status) => {
      const { changes } = await undoing(call({ undoId: "apr_9" }), call({ id: "apr_9", status }));
      expect(changes?.approvals).toMatchObject([{ set: { undoId: "apr_1" } }]);
    },
  );

  it.each(["proposed", "pending", "approved", "executing", "executed", "interrupted"] as const)(
    "is refused while another one is %s",
    async (status) => {
      const earlier = undoing(call({ undoId: "apr_9" }), call({ id: "apr_9", status }));
      await expect(earlier).rejects.toMatchObject(taken);
    },
  );

  it("takes the place of an interrupted one only if that did not happen", async () => {
    const interrupted = (resolutionOutcome: "done" | "failed") =>
      undoing(call({ undoId: "apr_9" }), call({ id: "apr_9", status: "interrupted", resolutionOutcome }));
    await expect(interrupted("done")).rejects.toMatchObject(taken);
    expect((await interrupted("failed")).changes).toBeDefined();
  });

  it("is refused if another one is not to be found", async () => {
    await expect(undoing(call({ undoId: "apr_9" }))).rejects.toMatchObject(taken);
  });

  it("comes in time until the end, and must be written before it", async () => {
    await expect(undoing(call(), null, until(0))).rejects.toMatchObject(over);
    await expect(undoing(call({ undoneAt: readAt }), null, until(-1))).rejects.toMatchObject(over);
    expect((await undoing(call(), null, until(1))).changes?.validUntil).toEqual(readAt);
    expect((await undoing(call(), null, { roles: [], until: null })).changes?.validUntil).toEqual(
      readPlus(30_000),
    );
  });

  it("is refused if two of one response undo the same call", async () => {
    const two = proposing(
      { calls: [undoCall(), { ...undoCall(), inputJson: "{}" }] },
      { undone: [{ row: call(), version: "800", undo: null }] },
    );
    await expect(two).rejects.toMatchObject(taken);
  });

  it("carries the signature of whoever asked for it, which the log names", async () => {
    const { changes, calls, prepared } = await undoing(call(), null, until(60_000), sealer);
    const read = await sealer.read("undo", String(calls[0]?.undo_token));
    expect(read).toMatchObject({
      ok: true,
      claims: {
        ...{ tenantId: "acme", approvalId: "apr_1", undoneId: "apr_0", outcomeHash: "hash" },
        ...{ principalId: "ada", roles: ["lead"], iat: readAt.getTime() / 1000 },
        digest: prepared.calls[0]?.fields.digest,
      },
    });
    expect(changes?.audited).toMatchObject([
      { data: { evidenceId: read.ok && read.claims.id, keyId: sealer.keyId } },
    ]);
  });

  it("of a request that exists already takes nothing", async () => {
    const stored = [{ ...call(), id: "apr_1" }];
    const { changes } = await proposing({ calls: [undoCall()] }, { facts: { exists: true }, stored });
    expect(changes).toBeUndefined();
  });
});

it("a call that undoes none writes nothing of others, and is not signed", async () => {
  const { changes, calls, prepared } = await proposing({}, {}, sealer);
  expect(prepared.asked.undoes).toEqual([]);
  expect(changes?.approvals).toEqual([]);
  expect(calls).toMatchObject([{ undo_token: null }]);
});
