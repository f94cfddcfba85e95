import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Approval } from "countersign";
import { afterAll, beforeAll, expect, it } from "vitest";
import { countersign } from "../support/command-line.js";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import {
  executedCall,
  interruptedCall,
  oneCall,
  openPast,
  type Past,
  personOf,
} from "../support/evidence/past.js";
import { proposeCall } from "../support/proposals.js";

const policy = `version: 1
rules:
  # Money leaves the shop.
  - tools: [refund, send_email]
    verdict: ask
`;

type Options = NonNullable<Parameters<typeof proposeCall>[1]>;

let database: TestDatabase & { kind: "postgres" };
let past: Past;
let folder = "";
beforeAll(async () => {
  database = await freshPostgres();
  past = await openPast(database);
  folder = mkdtempSync(join(tmpdir(), "countersign-suggest-"));
  writeFileSync(join(folder, "policy.yaml"), policy);
});
afterAll(async () => {
  await past.store.close();
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function suggest(...options: string[]) {
  const file = join(folder, "policy.yaml");
  const argv = ["policy", "suggest", file, "--database-url", database.url, "--json", ...options];
  const { code, out, err } = await countersign(argv);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

const refund = (amount: number, more: Options = {}): Options => ({
  ...{ input: { amount, currency: "EUR" }, toolName: "refund", threadId: `thread_${amount}` },
  ...more,
});

async function denied(options: Options): Promise<Approval> {
  const call = await oneCall(past.store, options);
  const principal = personOf(call.tenantId);
  const { id: approvalId, digest } = call;
  await past.store.decide({ approvalId, principal, type: "deny", digest, reason: "No" });
  return call;
}

/** An undo of a call, which people approve. */
async function undoOf({ id: approvalId, tenantId, toolName }: Approval): Promise<void> {
  const undoes = { approvalId, outcomeHash: "hash", askedBy: "ada", reason: null, after: null };
  await executedCall(past.store, { tenantId, toolName: `${toolName}.undo`, terms: { undoes } });
}

it("countersign policy suggest learns from the decisions in a database, except those of the last days", async () => {
  const { store } = past;
  const ids: string[] = [];
  await past.daysAgo(60, async () => {
    for (let amount = 1; amount <= 8; amount += 1) ids.push((await executedCall(store, refund(amount))).id);
    await interruptedCall(store, refund(9));
    await denied(refund(10));
    // Nobody was asked, or nobody has answered.
    await proposeCall(store, refund(3, { verdict: "notify", announce: false }));
    await oneCall(store, refund(4));
    await executedCall(store, refund(500, { tenantId: "globex" }));
    // Somebody wanted to take these back. Nobody had been asked about the second.
    await undoOf(await executedCall(store, refund(12)));
    await undoOf(await executedCall(store, refund(13, { verdict: "notify" })));
  });
  const later = await executedCall(store, refund(5));
  const options = ["--at-least", "6", "--tenant", "acme"];

  const found = await suggest(...options);
  expect(found).toMatchObject({ learned: 12, heldOut: 1, tools: [{ approved: 8, denied: 1, other: 3 }] });
  expect(found.suggestions).toMatchObject([
    {
      when: 'input.amount >= 2 && input.amount <= 7 && input.currency == "EUR" && size(input) == 2',
      calls: ids.slice(1, 7),
      heldOut: { changed: [{ id: later.id, outcome: "approved" }], contradictedBy: [] },
    },
  ]);
  expect(found.diff).toContain('+    when: \'!(tool.name == "refund" && input.amount >= 2');
  expect(readFileSync(join(folder, "policy.yaml"), "utf8")).toBe(policy);

  expect(await suggest("--at-least", "6")).toMatchObject({ learned: 13, tools: [{ approved: 9 }] });

  const wrong = await denied(refund(6));
  const contradicted = await suggest(...options);
  expect(contradicted.suggestions).toMatchObject([
    { when: found.suggestions[0].when, heldOut: { contradictedBy: [{ id: wrong.id, outcome: "denied" }] } },
  ]);
  expect(contradicted.diff).toBe("");
});

it("countersign policy suggest never prints a value that a rule hides", async () => {
  const pin = "7193-5527";
  const terms = { redact: ["pin"] };
  await past.daysAgo(60, async () => {
    for (let index = 0; index < 6; index += 1) {
      const mail = { toolName: "send_email", threadId: `mail_${index}`, terms };
      await executedCall(past.store, { ...mail, input: { pin, to: "ann" } });
      await denied({ ...mail, input: { pin, to: "eve" } });
    }
  });
  const found = await suggest("--at-least", "5");
  const tool = found.tools.find(({ toolName }: { toolName: string }) => toolName === "send_email");
  expect(tool.whyNot.notify).toBe("a rule hides `pin`, so no condition may read it");
  expect(found.diff).toContain('input.to == "eve"');
  expect(JSON.stringify(found)).not.toContain(pin);
});
