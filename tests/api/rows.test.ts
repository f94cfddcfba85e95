import type { Principal } from "countersign";
import { describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { recordedPreview } from "../support/previews.js";
import { proposeCall } from "../support/proposals.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };

interface Row {
  id: string;
  input: unknown;
  flags: unknown[];
  flagCount: number;
  summary: string;
  summaryParts: object[];
  proposedSummaryParts: object[] | null;
  editedInput: unknown;
  preview: unknown;
  held: { editedInput: unknown } | null;
}

async function openRows() {
  const world = await openApiWorld({ fullViewRoles: ["lead"] });
  const get = async <T>(reader: string, path: string) =>
    (await (await world.request(reader, path)).json()) as T;
  return {
    ...world,
    rowOf: async (reader: string, id: string) => {
      const { items } = await get<{ items: Row[] }>(reader, "/approvals?fields=row&limit=200");
      return items.find((row) => row.id === id);
    },
    approvalOf: (reader: string, id: string) => get<Row>(reader, `/approvals/${id}`),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe("a row of a list", () => {
  it("counts the warnings that its reader finds in the call, and shows none of its values", async () => {
    await using world = await openRows();
    const input = { to: "ada\u202e", pin: `4711${" ".repeat(400)}` };
    const [call] = await proposeCall(world.store, { input, terms: { redact: ["pin"] } });
    const id = call?.id ?? "";
    for (const [reader, count] of [
      ["finance", 1],
      ["lead", 2],
    ] as const) {
      const row = await world.rowOf(reader, id);
      expect([reader, row]).toMatchObject([reader, { flagCount: count, flags: [], input: null }]);
      expect(JSON.stringify(row)).not.toMatch(/4711|U\+202E/);
      const whole = await world.approvalOf(reader, id);
      expect([whole.flags.length, whole.flagCount]).toEqual([count, count]);
    }
  });

  it("says a question that was stored under the name of its tool", async () => {
    await using world = await openRows();
    const [call] = await proposeCall(world.store, {
      toolName: "request_human_input",
      verdict: "manual",
      input: { message: "Which carrier?", choices: ["a", "b"] },
      summary: "request_human_input with choices: …",
    });
    expect(await world.rowOf("finance", call?.id ?? "")).toMatchObject({
      summary: "“Which carrier?”",
      summaryParts: [{ value: "Which carrier?", path: "message" }],
    });
  });
});

describe("an edited call", () => {
  const amount = { value: "95", path: "amount" };
  const said = [{ text: "Refund " }, amount, { text: " EUR" }];
  const proposed = [{ text: "Refund " }, { ...amount, number: 95 }, { text: " EUR" }];
  const edited = { inputJson: '{"id":"A-1","amount":30}', digest: "e".repeat(64) };

  async function editing(world: Awaited<ReturnType<typeof openRows>>, holdMs?: number) {
    const [call] = await proposeCall(world.store, {
      input: { id: "A-1", amount: 95 },
      summary: "Refund 95 EUR",
      terms: {
        summaryParts: said,
        preview: recordedPreview([{ target: "A-1", after: "refunded 95 EUR" }]),
        decisions: ["approve", "edit", "deny"],
        editable: ["amount"],
      },
    });
    if (!call) throw new Error("unreachable");
    await world.store.decide({
      ...{ approvalId: call.id, principal: finance, type: "edit", digest: call.digest, reason: null, edited },
      ...(holdMs !== undefined && { holdMs }),
    });
    return call.id;
  }

  it("has its new values in its summary, in rows and by itself, and the proposed ones beside it", async () => {
    await using world = await openRows();
    const id = await editing(world);
    for (const view of [await world.rowOf("finance", id), await world.approvalOf("finance", id)]) {
      expect(view).toMatchObject({
        summary: "Refund 30 EUR",
        summaryParts: [{ text: "Refund " }, { value: "30", path: "amount", number: 30 }, { text: " EUR" }],
        proposedSummaryParts: proposed,
        held: null,
        preview: null,
      });
    }
    expect(await world.approvalOf("finance", id)).toMatchObject({ editedInput: { amount: 30 } });
  });

  it("has them already while the decision may be taken back", async () => {
    await using world = await openRows();
    const id = await editing(world, 10_000);
    expect(await world.approvalOf("finance", id)).toMatchObject({
      summary: "Refund 30 EUR",
      proposedSummaryParts: proposed,
      editedInput: null,
      preview: null,
      held: { editedInput: { id: "A-1", amount: 30 } },
    });
    expect(await world.rowOf("finance", id)).toMatchObject({
      summary: "Refund 30 EUR",
      held: { editedInput: null },
    });
  });
});
