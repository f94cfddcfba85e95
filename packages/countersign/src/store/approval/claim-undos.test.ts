import { describe, expect, it } from "vitest";
import type { Approval } from "../../approval/approval.js";
import type { SignedClaims } from "../../evidence/evidence-claims.js";
import { createEvidenceSigner } from "../../evidence/evidence-signer.js";
import { outcomeHash, ranAs, signOutcome } from "../../evidence/outcome-proof.js";
import { someApproval } from "../../testing/some-approval.js";
import {
  readAt,
  readPlus,
  rowOf,
  someCallSeen,
  someProof,
  trailEntry,
} from "../../testing/some-call-seen.js";
import type { CallRow, CallSeen, SeenUndone } from "../call-seen.js";
import { judgeClaim, type Starting } from "./claim.js";

const hourMs = 3_600_000;
const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");
const bases: unknown[] = [];
const starting: Starting = {
  ...{ handlerKind: "once", reader: undefined, startedBy: "run_1" },
  check: (_, basis) => void bases.push(basis),
};
const signing: Starting = { ...starting, reader: signer };

/** The call to undo, which ran two minutes ago. */
const call = someApproval(
  {
    ...{ id: "apr_0", status: "executed", undoId: "apr_1", outcomeJson: '{"value":1}' },
    finishedAt: readPlus(-120_000),
  },
  { undoable: true, reversible: "1h" },
);

/** Its undo. Eve asked for it, and the policy lets it run. */
const terms = {
  undoes: { approvalId: "apr_0", outcomeHash: outcomeHash(call), askedBy: "eve", reason: null, after: null },
};
const parts = { status: "approved", verdict: "notify" } satisfies Partial<Approval>;
const undo = someApproval(parts, terms);

const undone = (more: Partial<SeenUndone> = {}): SeenUndone => ({
  ...{ row: rowOf(call), version: "800", trail: [], undos: [] },
  ...more,
});
const changed = (row: Partial<CallRow>) => ({ row: { ...rowOf(call), ...row } });

/** An earlier undo that has started by the log, and what became of it. */
const earlier = (row: Partial<CallRow>): Partial<SeenUndone> => ({
  trail: [trailEntry("call.undo_started", { undoId: "apr_9" })],
  undos: [{ ...rowOf(undo), id: "apr_9", ...row }],
});
const resolved = (outcome: "done" | "failed") => ({
  ...{ status: "interrupted" as const, resolutionOutcome: outcome, resolvedBy: "ada", resolvedAt: readAt },
});

/** The field that keeps an undo from starting; `undefined` if it starts. */
async function fieldOf(seen: CallSeen, start: Starting): Promise<unknown> {
  const { result, changes } = await judgeClaim(seen, start);
  if (result.outcome === "claimed") return undefined;
  expect(changes?.approvals).toMatchObject([{ id: "apr_1", set: { withdrawalCause: "evidence_invalid" } }]);
  expect(changes?.approvals).toHaveLength(1);
  return changes?.audited[0]?.data?.field;
}

describe("an undo", () => {
  it("starts, provided that the call that it undoes is the same, whose log names it", async () => {
    const { result, changes } = await judgeClaim(someCallSeen(undo, { undone: undone() }), starting);
    expect(result.outcome).toBe("claimed");
    expect(changes?.approvals).toMatchObject([
      { id: "apr_1", version: "700", set: { status: "executing" } },
      {},
    ]);
    expect(changes?.approvals[1]).toEqual({ id: "apr_0", version: "800", set: {} });
    expect(changes?.audited).toMatchObject([{ approvalId: "apr_1", type: "approval.executing" }, {}]);
    expect(changes?.audited[1]).toEqual({
      ...{ tenantId: "acme", approvalId: "apr_0", type: "call.undo_started" },
      ...{ actorId: "eve", data: { undoId: "apr_1" } },
    });
  });

  it.each<[string, string, SeenUndone | undefined]>([
    ["the call is gone", "undoes", undefined],
    ["the call is another than the one that ran", "undoes", undone(changed({ inputJson: "{}" }))],
    ["the call was undone", "undoneAt", undone(changed({ undoneAt: readAt }))],
    ["an earlier undo is gone", "undoneAt", undone({ ...earlier({}), undos: [] })],
    ["an earlier undo runs", "undoneAt", undone(earlier({ status: "executing" }))],
    ["an earlier undo has run", "undoneAt", undone(earlier({ status: "executed" }))],
    ["nobody knows of an earlier undo", "undoneAt", undone(earlier({ status: "interrupted" }))],
    ["an earlier undo was interrupted, but done", "undoneAt", undone(earlier(resolved("done")))],
  ])("of which %s is refused for %s", async (_, field, seen) => {
    expect(await fieldOf(someCallSeen(undo, { undone: seen }), starting)).toBe(field);
  });

  it.each<[string, SeenUndone]>([
    ["was interrupted, and failed", undone(earlier(resolved("failed")))],
    ["failed", undone(earlier({ status: "failed" }))],
  ])("starts if an earlier undo %s", async (_, seen) => {
    expect(await fieldOf(someCallSeen(undo, { undone: seen }), starting)).toBeUndefined();
  });
});

describe("a signed undo", async () => {
  const wish: SignedClaims["undo"] = {
    ...{ id: "ask_1", tenantId: "acme", approvalId: "apr_1", digest: undo.digest, undoneId: "apr_0" },
    ...{ outcomeHash: outcomeHash(call), principalId: "eve", roles: ["support"] },
    iat: readPlus(-60_000).getTime() / 1000,
  };
  const asker = { id: "eve", roles: ["support"], onBehalfOf: null, at: readPlus(-60_000).getTime() };
  const at = readPlus(-120_000);
  const end = { status: "executed", outcomeJson: '{"value":1}', at } as const;
  const outcomeToken = await signOutcome(call, ranAs(call), end, signer);
  const row: CallRow = { ...rowOf(call), outcomeToken };

  /** With a signed end of the call, and a wish with these claims. */
  async function signed(
    claims: Partial<typeof wish> = {},
    more: Partial<SeenUndone> = {},
    approval = undo,
  ): Promise<CallSeen> {
    const undoToken = await signer.sign("undo", { ...wish, ...claims });
    return someCallSeen({ ...approval, undoToken }, { undone: undone({ row, ...more }) });
  }

  it("starts by the will of whoever asked", async () => {
    bases.length = 0;
    const { result, changes } = await judgeClaim(await signed(), signing);
    expect(result.outcome).toBe("claimed");
    expect(bases).toEqual([{ by: "people", approvers: [asker] }]);
    expect(changes?.evidence).toBeUndefined();
  });

  it("uses the evidence of its approval, if people decided about it", async () => {
    const decision = { type: "approve" as const, decidedBy: "ada", roles: ["lead"], reason: null };
    const asked = someApproval(
      { ...parts, verdict: "ask", decision: { ...decision, decidedAt: readPlus(-60_000) } },
      terms,
    );
    const seen = await signed({ digest: asked.digest }, {}, asked);
    expect(await fieldOf(seen, signing)).toBe("evidence");
    const proven = { ...seen, ...(await someProof(asked, signer, readPlus(hourMs))) };
    const { changes } = await judgeClaim(proven, signing);
    expect(changes?.evidence).toMatchObject([{ version: "701" }]);
    expect(changes?.approvals).toHaveLength(2);
    const unwanted = { ...proven, row: { ...proven.row, undoToken: null } };
    expect(await fieldOf(unwanted, signing)).toBe("undoToken");
  });

  it.each<[string, string, Partial<typeof wish>, Partial<SeenUndone>?]>([
    ["a wish for another undo", "digest", { digest: "a".repeat(64) }],
    ["a wish for the undo of another call", "undoes", { undoneId: "apr_7" }],
    ["a wish for another outcome", "outcomeHash", { outcomeHash: "b".repeat(64) }],
    ["a wish of somebody else", "askedBy", { principalId: "bo" }],
    ["a wish at the end of the time", "askedAt", { iat: readPlus(hourMs - 120_000).getTime() / 1000 }],
    ["a wish of the day before", "askedAt", { iat: readPlus(-24 * hourMs - 1).getTime() / 1000 }],
    ["a call whose end nobody signed", "undoes", {}, { row: rowOf(call) }],
    ["a call that is undone by the log", "undoneAt", {}, { trail: [trailEntry("call.undone")] }],
    ["an earlier undo whose failure nobody signed", "undoneAt", {}, earlier({ status: "failed" })],
  ])("with %s is refused for %s", async (_, field, claims, more) => {
    expect(await fieldOf(await signed(claims, more), signing)).toBe(field);
  });

  it("with a wish just before the end of the time starts", async () => {
    const iat = readPlus(hourMs - 120_001).getTime() / 1000;
    expect(await fieldOf(await signed({ iat }), signing)).toBeUndefined();
  });

  it("continues after a crash, though the log has its own start", async () => {
    const executing = someApproval({ ...parts, status: "executing", startedBy: "run_1" }, terms);
    const own = { trail: [trailEntry("call.undo_started", { undoId: "apr_1" })], undos: [rowOf(executing)] };
    const seen = { ...(await signed({}, own, executing)), trail: [trailEntry("approval.executing")] };
    expect((await judgeClaim(seen, signing)).result.outcome).toBe("already_started");
    expect(
      await fieldOf(
        { ...seen, ...someCallSeen({ ...undo, undoToken: seen.row.undoToken }, { undone: seen.undone }) },
        signing,
      ),
    ).toBe("undoneAt");
  });
});
