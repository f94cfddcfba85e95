import { describe, expect, it } from "vitest";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  grantable,
  proposing,
  type SomeProposedCall,
  someCovering,
} from "../../testing/some-proposal-seen.js";
import { callFrom } from "../call-seen.js";
import type { NewRow } from "../changes.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { storableJson } from "../rows/storable-json.js";
import { writtenApproval } from "./new-rows.js";

/** What the database writes of a row, and then says of it with `to_json`: as `times_of` in read-and-apply.sql. */
function stored({ row, now, followed }: NewRow, at: Date): Record<string, unknown> {
  const times = now.map((column) => [
    column,
    new Date(column === "created_at" ? at.getTime() - followed : at).toISOString().replace("Z", "+00:00"),
  ]);
  return { ...JSON.parse(storableJson(row)), ...Object.fromEntries(times) };
}

const budget = { amount: "amount", total: 100, each: null, unit: "EUR" };

describe("a new call", () => {
  it.each<[string, SomeProposedCall, now: string[]]>([
    ["that waits", {}, ["created_at"]],
    [
      "with all that it may have",
      {
        ...{ notify: ["slack:#f"], awaitedEventId: "evt_1", inputSchemaJson: "{}", risk: "high" },
        terms: { quorum: 2, redact: ["amount"], ...grantable },
      },
      ["created_at"],
    ],
    ["that the policy lets through", { verdict: "notify", reason: "Small" }, ["created_at", "decided_at"]],
    ["that the policy denies", { verdict: "deny", reason: "Never" }, ["created_at", "decided_at"]],
    ["that a grant approves", { terms: grantable }, ["created_at", "decided_at"]],
    [
      "with text that cannot be stored",
      { notify: ["slack:\ud800"], awaitedEventId: "\udc00" },
      ["created_at"],
    ],
  ])("%s is the approval that its row will hold", async (_, call, now) => {
    const grants = [someCovering({ budget }, { used: "0.5" })];
    const { changes } = await proposing({ calls: [call, { inputJson: "{}" }] }, { grants });
    const [row] = changes?.proposal?.calls ?? [];
    if (!row) throw new Error("there is no call");
    expect(row).toMatchObject({ now, followed: 1 });
    const approval = writtenApproval(row, readAt);
    expect(approval).toStrictEqual(approvalFromRow(callFrom(stored(row, readAt))));
    expect(approval.createdAt).toEqual(readPlus(-1));
  });

  it("that is withdrawn at once has ended when it is written", async () => {
    const { changes } = await proposing({}, { facts: { twins: ["apr_9"] } });
    const [row] = changes?.proposal?.calls ?? [];
    expect(row?.now).toEqual(["created_at", "finished_at"]);
    expect(row && writtenApproval(row, readAt)).toMatchObject({ finishedAt: readAt, decision: null });
  });

  it("has a value for each column, of which none is left to the database", async () => {
    const { calls, changes } = await proposing({ calls: [{ notify: undefined as never }] });
    expect(calls).toMatchObject([
      {
        ...{
          escalation_steps: 0,
          extensions_used: 0,
          notify: [],
          terms: {},
          approver_roles: [],
          approver_ids: [],
        },
        ...{ announced_at: null, held: null, started_at: null, grant_amount: null, undo_id: null },
      },
    ]);
    expect(calls[0]).not.toHaveProperty("counted_as");
    expect(changes?.proposal?.request.row).toMatchObject({ rounds: 0, settled_at: null });
  });

  it("has only those terms in its row that are not the default", async () => {
    const { calls, written } = await proposing({ calls: [{ terms: { quorum: 3 } }] });
    expect(calls).toMatchObject([{ terms: { quorum: 3 } }]);
    expect(written?.(readAt).approvals).toMatchObject([{ terms: { quorum: 3, denials: 1 } }]);
  });
});
