import { ask, createCountersign, definePolicy } from "countersign";
import { Inngest } from "inngest";
import { expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";

it("an edit that the same person sends again is not a second decision", async () => {
  await using database = await freshPostgres();
  const store = await openStore(database);
  const inngest = new Inngest({
    id: "regressions",
    isDev: true,
    fetch: async () => Response.json({ ids: ["1"], status: 200 }),
  });
  const countersign = createCountersign({
    inngest,
    store,
    policy: definePolicy({ tools: { refund: ask() } }),
  });
  const terms = { decisions: ["approve" as const, "edit" as const], editable: ["amount"] };
  const [approval] = await proposeCall(store, { terms });
  if (!approval) throw new Error("unreachable");
  const edit = (amount: number, id = "finance") =>
    countersign.decide({
      approvalId: approval.id,
      principal: { id, tenantId: "acme", roles: [] },
      type: "edit",
      digest: approval.digest,
      reason: null,
      input: { id: "A-1", amount },
    });
  const first = await edit(50);
  expect(first).toMatchObject({ status: "approved", edited: { inputJson: '{"id":"A-1","amount":50}' } });
  expect(await edit(50)).toEqual(first);
  await expect(edit(60)).rejects.toMatchObject({ code: "already_decided" });
  await expect(edit(50, "lead")).rejects.toMatchObject({ code: "already_decided" });
  const trail = await store.auditTrail("acme", approval.id);
  expect(trail.filter(({ type }) => type === "approval.edited")).toHaveLength(1);
});
