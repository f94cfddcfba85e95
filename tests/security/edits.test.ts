import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, deny, type Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { apiFor, refusals } from "../support/attack.js";
import { inTurns } from "../support/desk-tools.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const input = {
  id: "A-1",
  amount: 80,
  note: "none",
  iban: "DE02 1203 0000 0000 2020 51",
  to: { name: "Ada", bank: { code: 1 } },
};

const policy = definePolicy({
  tools: {
    pay: ({ input }) => {
      const amount = Number(input.amount);
      if (amount > 1000) return deny("Too much");
      return ask({
        approvers: { roles: [amount > 100 ? "lead" : "finance"] },
        decisions: ["approve", "edit", "deny"],
        editable: ["amount", "note", "iban", "to.name"],
        redact: ["iban"],
      });
    },
  },
});

describe("an edit", () => {
  const effects: unknown[] = [];
  const pay = createTool({
    name: "pay",
    parameters: z.looseObject({
      id: z.string(),
      amount: z.number().min(0),
      note: z.unknown(),
      iban: z.string(),
      to: z.looseObject({ name: z.string(), bank: z.looseObject({ code: z.number() }) }),
    }),
    handler: (given) => {
      effects.push(given);
      return "paid";
    },
  });
  let world: Awaited<ReturnType<typeof openWaitingRefund>>;
  let attack: ReturnType<typeof apiFor>["attack"];
  beforeAll(async () => {
    world = await openWaitingRefund({
      policy,
      tools: [{ ...pay, strict: false }],
      reply: inTurns({ toolCalls: [{ name: "pay", input }] }),
    });
    attack = apiFor(world.harness.countersign).attack;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const send = (body: string) => attack(finance, { path: `/approvals/${world.approval.id}/decision`, body });
  /** Sends an edit whose input is raw JSON text, because several cases attack the parser. */
  const edit = (text: string) => send(`{"type":"edit","digest":"${world.approval.digest}","input":${text}}`);
  const changed = (changes: object) => JSON.stringify({ ...input, iban: "[hidden]", ...changes });
  const withKey = (key: string) => `${changed({ amount: 1 }).slice(0, -1)},"${key}":{"admin":true}}`;
  const expectUntouched = async () => {
    expect(await world.harness.approval(world.approval.id)).toMatchObject({
      status: "pending",
      editedInput: null,
      decision: null,
    });
    expect(effects).toEqual([]);
    expect({}).not.toHaveProperty("admin");
  };

  it.each<[string, string, number, string, string?]>([
    ["of a field that is not editable", changed({ id: "A-2" }), 400, "invalid_edit", "input.id"],
    ["that adds a field", changed({ more: 1 }), 400, "invalid_edit", "input.more"],
    ["that removes a field", changed({ id: undefined }), 400, "invalid_edit", "input.id"],
    [
      "of a nested field that is not editable",
      changed({ to: { name: "Eve", bank: { code: 2 } } }),
      400,
      "invalid_edit",
      "input.to.bank.code",
    ],
    [
      "that replaces the parent of an editable field",
      changed({ to: "Eve" }),
      400,
      "invalid_edit",
      "input.to",
    ],
    [
      "with keys that only look like nested paths",
      changed({ "to.name": "Eve", "to.bank": 2 }),
      400,
      "invalid_edit",
    ],
    ["with the key __proto__", withKey("__proto__"), 400, "invalid_edit", "input.__proto__"],
    ["with the key constructor", withKey("constructor"), 400, "invalid_edit", "input.constructor"],
    [
      "with the key __proto__ in a nested object",
      changed({ to: JSON.parse('{"name":"Ada","bank":{"code":1},"__proto__":{"x":1}}') }),
      400,
      "invalid_edit",
    ],
    [
      "that writes the marker of hidden values into another field",
      changed({ note: "[hidden]" }),
      400,
      "invalid_edit",
      "input.note",
    ],
    ["that violates the tool's schema", changed({ amount: -1 }), 400, "invalid_edit", "input.amount"],
    ["with a value of another type", changed({ amount: "80" }), 400, "invalid_edit", "input.amount"],
    ["that is an array", "[1]", 400, "invalid_edit", "input"],
    ["that is null", "null", 400, "invalid_edit", "input"],
    ["that changes nothing", changed({}), 400, "invalid_edit", "input"],
    ["that the policy denies", changed({ amount: 5000 }), 403, "edit_not_allowed"],
    ["that the policy sends to other approvers", changed({ amount: 500 }), 403, "edit_not_allowed"],
    ["of 2 MB", changed({ note: "x".repeat(2 * 1024 * 1024) }), 400, "invalid_edit", "input"],
    ["of 17 MB", changed({ note: "x".repeat(17 * 1024 * 1024) }), 413, "too_large"],
    [
      "with an unpaired surrogate in an array",
      changed({ note: ["x"] }).replace('"x"', '"\\ud800"'),
      400,
      "invalid_request",
      "input.note.0",
    ],
    [
      "nested 1001 levels deep",
      changed({ note: 0 }).replace('"note":0', `"note":${"[".repeat(1001)}${"]".repeat(1001)}`),
      400,
      "invalid_request",
      "input",
    ],
  ])("%s is refused and leaves the call undecided", async (_what, text, status, code, field) => {
    const answer = await edit(text);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    const fields = (answer.body.errors ?? []).map((error: { field: string }) => error.field);
    if (field) expect(fields).toContain(field);
    await expectUntouched();
  });

  it("cannot name another tool, version, tenant, approval or schema", async () => {
    for (const name of ["toolName", "tool", "toolVersion", "tenantId", "approvalId", "digests", "schema"]) {
      const body = {
        type: "edit",
        digest: world.approval.digest,
        input: { ...input, amount: 1 },
        [name]: "erase",
      };
      const answer = await send(JSON.stringify(body));
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "invalid_request", errors: [{ field: name }] },
      });
    }
    await expectUntouched();
  });

  it("of more than 20 MB is refused with 413", async () => {
    const answer = await edit(changed({ note: "x".repeat(21 * 1024 * 1024) }));
    expect(answer.status).toBe(413);
    await expectUntouched();
  });

  it("that is invalid or not allowed is logged the first and the tenth time for each code", async () => {
    const own = { type: "decision.refused", actorId: "finance" };
    expect(await refusals(world.harness.store, world.approval.id)).toEqual([
      { ...own, code: "invalid_edit" },
      { ...own, code: "invalid_edit", times: 10 },
      { ...own, code: "edit_not_allowed" },
    ]);
  });

  it("that is accepted runs with the original values of hidden fields", async () => {
    expect((await edit(changed({ amount: 50 }))).status).toBe(200);
    await world.harness.ended(world.runId);
    expect(effects).toEqual([{ ...input, amount: 50 }]);
  });
});
