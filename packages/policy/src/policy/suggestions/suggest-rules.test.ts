import { describe, expect, it } from "vitest";
import type { DecidedCall, DecidedOutcome } from "./decided-call.js";
import { policyOf } from "./replay-suggestion.js";
import { suggestRules } from "./suggest-rules.js";
import type { SuggestOptions } from "./suggestion.js";

const learnUntil = new Date("2026-06-01");
const before = new Date("2026-05-01");
const later = new Date("2026-06-10");

type Options = Partial<Omit<DecidedCall, "call" | "terms">> & {
  call?: Partial<DecidedCall["call"]>;
  terms?: Partial<DecidedCall["terms"]>;
};

let calls = 0;
function decided(input: unknown, outcome: DecidedOutcome = "approved", options: Options = {}): DecidedCall {
  const { call, terms, ...others } = options;
  calls += 1;
  return {
    id: `apr_${calls}`,
    outcome,
    decidedAt: before,
    verdict: "ask",
    hasPreview: false,
    ...others,
    call: { toolName: "refund", input, ...call },
    terms: {
      risk: "medium",
      quorum: 1,
      requesterMayNotApprove: false,
      redact: [],
      redactPatterns: [],
      ...terms,
    },
  };
}
const many = (count: number, one: (index: number) => DecidedCall) =>
  Array.from({ length: count }, (_, i) => one(i));
const refunds = (count: number, options: Options = {}) =>
  many(count, (i) => decided({ amount: 10 + i, currency: "EUR" }, "approved", options));

const askAlways = "version: 1\nrules:\n  - { id: all, tools: refund, verdict: ask }\n";

async function suggest(history: DecidedCall[], text = askAlways, options: Partial<SuggestOptions> = {}) {
  const files = [{ file: "policy.yaml", layer: "defaults" as const, text }];
  const found = await suggestRules({ files, calls: history, learnUntil, ...options });
  const [tool] = found.tools;
  return {
    ...found,
    when: found.suggestions.map(({ when }) => when),
    whyNot: tool?.whyNot,
    after: found.files[0]?.after,
  };
}

describe("a looser rule", () => {
  it("has the bounds of the approved calls, without the two highest and lowest amounts", async () => {
    const { when, suggestions } = await suggest(refunds(30));
    expect(when).toEqual([
      'input.amount >= 12 && input.amount <= 37 && input.currency == "EUR" && size(input) == 2',
    ]);
    expect(suggestions).toMatchObject([{ verdict: "notify", toolName: "refund", files: ["policy.yaml"] }]);
  });

  it("is not made of a limit over time", async () => {
    const limit = askAlways.replace("ask }", `ask, when: "calls('refund', '1h') > 2" }`);
    const call = { counted: { 'calls("refund", "1h")': 3 } };
    expect(await suggest(refunds(30, { call }), limit)).toMatchObject({
      when: [],
      whyNot: { notify: expect.stringContaining("a limit over time asks about them") },
    });
  });

  it("keeps the outermost amounts if it needs their calls", async () => {
    expect((await suggest(refunds(20))).when[0]).toContain("input.amount >= 10 && input.amount <= 29");
  });

  it("needs 20 approved calls, and counts what there is", async () => {
    const { when, whyNot, tools } = await suggest([...refunds(19), decided({ amount: 1 }, "edited")]);
    expect(when).toEqual([]);
    expect(whyNot?.notify).toBe("19 of its calls were approved, and at least 20 are needed");
    expect(tools).toMatchObject([{ approved: 19, denied: 0, other: 1 }]);
    expect((await suggest(refunds(19), askAlways, { minApprovals: 19 })).when).toHaveLength(1);
  });

  it.each(["denied", "edited", "answered", "doubted", "failed", "interrupted"] as const)(
    "stays clear of a call that was %s",
    async (outcome) => {
      const { when } = await suggest([...refunds(30), decided({ amount: 34, currency: "EUR" }, outcome)]);
      expect(when[0]).toContain("input.amount >= 12 && input.amount <= 31 &&");
      const inside = many(10, (i) => decided({ amount: 14 + 2 * i, currency: "EUR" }, outcome));
      const { whyNot } = await suggest([...refunds(30), ...inside]);
      expect(whyNot?.notify).toBe(
        "no condition covers 20 approved calls and none that was decided otherwise",
      );
    },
  );

  it("names up to five texts, each of them approved at least three times", async () => {
    const to = (name: string, count: number) => many(count, () => decided({ to: name }));
    const frequent = ["a", "b", "c", "d", "e"].flatMap((name) => to(name, 5));
    const { when } = await suggest([...frequent, ...to("f", 4), ...to("g", 1)]);
    expect(when).toEqual(['input.to in ["a", "b", "c", "d", "e"] && size(input) == 1']);
  });

  it("says which arguments differ each time", async () => {
    const mails = many(25, (i) => decided({ to: "a@b.c", subject: `s${i}`, body: `b${i}` }));
    const { when, whyNot } = await suggest(mails);
    expect(when).toEqual([]);
    expect(whyNot?.notify).toBe(
      "its arguments `subject`, `body` differ each time, so a rule could not tell these calls from others",
    );
  });

  it("does not take a number that names something for an amount", async () => {
    const { whyNot } = await suggest(many(25, (i) => decided({ orderId: i })));
    expect(whyNot?.notify).toContain("its argument `orderId` differs each time");
  });

  it("does not repeat a text that people would misread", async () => {
    const { whyNot } = await suggest(many(25, () => decided({ to: "аррӏе.com" })));
    expect(whyNot?.notify).toContain("`to`");
  });

  it("describes the arguments within arguments", async () => {
    const { when } = await suggest(
      many(25, () => decided({ order: { id: "A", "is new": true }, tags: ["x"] })),
    );
    expect(when).toEqual([
      'input.order.id == "A" && input.order["is new"] == true && input.tags == ["x"] && size(input) == 2 && size(keys(input.order)) == 2',
    ]);
  });

  it("names the requester only if the arguments are not enough", async () => {
    const by = (id: string, outcome: DecidedOutcome) =>
      many(20, () => decided({ plan: "pro" }, outcome, { call: { principal: { id, roles: [] } } }));
    expect((await suggest(by("ann", "approved"))).when).toEqual(['input.plan == "pro" && size(input) == 1']);
    const both = await suggest([...by("ann", "approved"), ...by("eve", "edited")]);
    expect(both.when).toEqual(['principal.id == "ann" && input.plan == "pro" && size(input) == 1']);
  });

  it.each([
    ["a verdict of manual", { verdict: "manual" }, {}, "their verdict was manual"],
    ["a quorum", {}, { quorum: 2 }, "several people must approve them"],
    ["critical risk", {}, { risk: "critical" }, "their risk is critical"],
    [
      "another approver than the requester",
      {},
      { requesterMayNotApprove: true },
      "their requester may not approve",
    ],
  ] as const)("is not suggested for calls with %s, then or now", async (_name, options, terms, why) => {
    const then = await suggest(refunds(30, { ...options, terms }));
    expect(then.whyNot?.notify).toContain(why);
    if (_name === "a verdict of manual") return;
    const rule = JSON.stringify({ tools: "refund", verdict: "ask", ...terms });
    const now = await suggest(refunds(30), `version: 1\nrules: [${rule}]\n`);
    expect(now.whyNot?.notify).toContain(why);
  });

  it("is not suggested for calls that cannot be taken back, if the tool has a preview", async () => {
    const previewed = (reversible: boolean | null) =>
      refunds(30, { hasPreview: true, call: { effects: [{ target: "a", count: 2 }], reversible } });
    for (const unsure of [false, null]) {
      expect((await suggest(previewed(unsure))).whyNot?.notify).toContain("no preview says");
    }
    expect((await suggest(previewed(true))).when[0]).toMatch(
      / && reversible && size\(effects\) <= 1 && effects\.all\(e, \(!has\(e\.count\) \|\| e\.count <= 2\)\)$/,
    );
  });

  it("is not suggested for calls without the preview on which a rule insists", async () => {
    const insists = askAlways.replace("ask }", "ask, withoutPreview: ask }");
    expect((await suggest(refunds(30), insists)).whyNot?.notify).toContain("no preview says");
  });

  it("is not suggested for a tool of an MCP server that the policy does not trust", async () => {
    const { whyNot } = await suggest(refunds(30, { call: { mcp: { server: "shop" } } }));
    expect(whyNot?.notify).toContain("something else asks about them");
  });

  it("is not suggested if a profile asks about all calls of the tool", async () => {
    const text = `${askAlways}profiles: { night: { rules: [{ tools: "*", verdict: ask, quorum: 2 }] } }\n`;
    expect((await suggest(refunds(30), text)).whyNot?.notify).toContain(
      "another rule, such as one of a profile",
    );
  });

  it("is not suggested if an example of the rule says that it must ask", async () => {
    const match = "match: [{ tool: refund, input: { amount: 20, currency: EUR } }]";
    const { whyNot } = await suggest(refunds(30), askAlways.replace("ask }", `ask, ${match} }`));
    expect(whyNot?.notify).toMatch(/would make the policy invalid: policy\.yaml.* must match this example/);
  });
});

describe("hidden values", () => {
  const secret = "CH02-0070-0110";
  const pay = (input: object) => many(30, () => decided(input, "approved", { terms: { redact: ["iban"] } }));

  it.each([
    ["the recorded call hides it", pay({ iban: secret, amount: 5 }), askAlways],
    [
      "the present policy hides it",
      many(30, () => decided({ iban: secret, currency: "EUR" })),
      askAlways.replace("ask }", "ask, redact: [iban] }"),
    ],
    ["another argument repeats it", pay({ iban: secret, note: `to ${secret}`, amount: 5 }), askAlways],
  ])("never appear in suggestions: %s", async (_name, history, text) => {
    const denied = history.slice(0, 6).map((call): DecidedCall => ({ ...call, outcome: "denied" }));
    const found = await suggest(history, text);
    expect(found.whyNot?.notify).toMatch(/^a rule hides `iban`.*, so no condition may read it$/);
    const stricter = await suggest(denied, text);
    expect(stricter.when).toHaveLength(1);
    expect(stricter.when[0]).toContain('"iban" in input && ');
    expect(JSON.stringify([found, stricter])).not.toContain(secret);
  });

  it("stay hidden in calls of which people are only notified", async () => {
    const text = askAlways.replace(
      "ask }",
      "ask, redact: [card], redactPatterns: [email], approvers: { ids: [a] } }",
    );
    const { after } = await suggest(refunds(30), text);
    expect(after?.match(/"?redact"?: ?\["?card"?\]/g)).toHaveLength(2);
    expect(after?.match(/"?redactPatterns"?: ?\["?email"?\]/g)).toHaveLength(2);
  });
});

describe("a stricter rule", () => {
  const denied = (count: number, input: (index: number) => object = (i) => ({ amount: 500 + i })) =>
    many(count, (i) => decided(input(i), "denied"));

  it("needs five denied calls and covers no other", async () => {
    expect((await suggest(denied(4))).whyNot?.deny).toBe(
      "4 of its calls were denied, and at least 5 are needed",
    );
    const { when, suggestions } = await suggest(denied(5));
    expect(suggestions).toMatchObject([{ verdict: "deny" }]);
    expect(when[0]).toContain("input.amount >= 500 && input.amount <= 504");
    const { when: narrower } = await suggest([...denied(9), decided({ amount: 503 })]);
    expect(narrower[0]).toContain("input.amount >= 504 && input.amount <= 508");
  });

  it("leaves out what differs each time, but demands the same argument names", async () => {
    const { when } = await suggest(denied(6, (i) => ({ to: "ceo@x.org", body: `b${i}` })));
    expect(when).toEqual([
      'type(input) == map && "to" in input && type(input.to) == string && "body" in input && input.to == "ceo@x.org" && size(input) == 2',
    ]);
  });

  it.each<[calls: string, input: (index: number) => object, terms: NonNullable<Options["terms"]>]>([
    ["a hidden argument", () => ({ to: "ceo@x.org" }), { redactPatterns: ["email"] }],
    ["an argument that differs each time", (i) => ({ body: `b${i}` }), {}],
    ["no argument", () => ({}), {}],
  ])("is not made of calls with %s only, since it would deny every call", async (_calls, input, terms) => {
    const { when, whyNot } = await suggest(many(6, (i) => decided(input(i), "denied", { terms })));
    expect(when).toEqual([]);
    expect(whyNot?.deny).toBe("its denied calls have no value in common that a condition could name");
  });
});

describe("the held-out time", () => {
  it("contradicts a suggestion, which then is not in the changed files", async () => {
    const wrong = decided({ amount: 20, currency: "EUR" }, "denied", { decidedAt: later });
    const right = decided({ amount: 21, currency: "EUR" }, "approved", { decidedAt: later });
    const { suggestions, files } = await suggest([...refunds(30), wrong, right]);
    expect(suggestions).toMatchObject([
      {
        heldOut: {
          changed: [
            { id: wrong.id, outcome: "denied" },
            { id: right.id, outcome: "approved" },
          ],
          contradictedBy: [{ id: wrong.id, outcome: "denied" }],
        },
      },
    ]);
    expect(files).toEqual([]);
  });

  it("ignores calls before the first time to learn from", async () => {
    const { learned } = await suggest(refunds(30), askAlways, { learnFrom: later });
    expect(learned).toBe(0);
  });
});

describe("the changed policy", () => {
  it("keeps its comments, narrows the rule that asks and adds one that notifies", async () => {
    const text = `version: 1
rules:
  # Money leaves the shop.
  - id: money
    tools: [refund, pay]
    verdict: ask # always
    when: input.amount > 0
    approvers: { roles: [finance] }

  # Nobody does this.
  - { tools: delete_*, verdict: deny }
`;
    const { after } = await suggest(refunds(20), text);
    const when = 'input.amount >= 10 && input.amount <= 29 && input.currency == "EUR" && size(input) == 2';
    expect(after).toBe(`version: 1
rules:
  # Money leaves the shop.
  - id: money
    tools: [refund, pay]
    verdict: ask # always
    when: '(input.amount > 0) ? !(tool.name == "refund" && ${when}) : false'
    approvers: { roles: [finance] }
  # countersign policy suggest: people approved 20 calls like this
  - id: approved-refund
    tools: refund
    verdict: notify
    when: (input.amount > 0) && ${when}
    approvers: {roles: [finance]}

  # Nobody does this.
  - { tools: delete_*, verdict: deny }
`);
  });

  it("adds to a default that asks, and to suggestions that it has already", async () => {
    const first = await suggest(
      refunds(20),
      "version: 1\ndefault: ask\nrules: [{ tools: x, verdict: allow }]\n",
    );
    expect(first.after).toContain('"verdict":"notify"');
    const again = await suggest(refunds(20), first.after);
    expect(again.suggestions).toEqual([]);
    const more = many(20, () => decided({ amount: 5, currency: "CHF" }));
    const second = await suggest([...refunds(20), ...more], first.after);
    expect(second.after).toContain("approved-refund-2");
  });

  it("may reach over calls that an earlier suggestion lets run already", async () => {
    const { after } = await suggest(refunds(20), askAlways);
    const of = (amount: number) => decided({ amount, currency: "EUR" });
    const around = [...many(10, (i) => of(i)), ...many(12, (i) => of(30 + i))];
    const { when, suggestions } = await suggest([...refunds(20), ...around], after);
    expect(when[0]).toContain("input.amount >= 1 && input.amount <= 40");
    expect(suggestions[0]?.calls).toHaveLength(20);
  });

  it("has the suggestions for several tools of one rule", async () => {
    const text = "version: 1\nrules:\n  - { tools: '*', verdict: ask }\n";
    const { after, suggestions } = await suggest(
      [...refunds(20), ...refunds(20, { call: { toolName: "pay" } })],
      text,
    );
    expect(suggestions.map(({ toolName }) => toolName)).toEqual(["pay", "refund"]);
    expect(after).toContain("approved-pay");
    expect(after).toContain("approved-refund");
  });

  const edited = async (history: DecidedCall[], text: string) => {
    const { after = "" } = await suggest(history, text);
    expect(after).toContain("verdict: notify");
    const parsed = policyOf([{ file: "policy.yaml", layer: "defaults", text: after }]);
    if ("problem" in parsed) throw new Error(parsed.problem);
    return parsed.policy;
  };
  const ann = { id: "ann", roles: ["agent"] };
  const input = { amount: 15, currency: "EUR" };

  it("still asks by all rules about a call that another rule asks about too", async () => {
    const text = `version: 1
rules:
  - { tools: refund, verdict: ask, approvers: { roles: [finance] } }
  - { tools: refund, verdict: ask, when: '"lead" in principal.roles', quorum: 2 }
  - { tools: refund, verdict: manual, when: 'thread.id == "vip" // by hand', timeout: 1h }
`;
    const policy = await edited(refunds(30, { call: { principal: ann, thread: { id: "t" } } }), text);
    const call = { toolName: "refund", input, principal: ann, thread: { id: "t" } };
    expect(policy.evaluate(call).kind).toBe("notify");
    for (const [more, verdict] of [
      [{ principal: { id: "eve", roles: ["lead"] } }, "ask"],
      [{ principal: null }, "ask"],
      [{ thread: { id: "vip" } }, "manual"],
    ] as const) {
      const { kind, terms } = policy.evaluate({ ...call, ...more });
      expect([kind, terms.approvers.roles]).toEqual([verdict, ["finance"]]);
    }
  });

  it("still asks about a call for which the condition of the narrowed rule cannot be evaluated", async () => {
    const text = `version: 1
default: allow
rules:
  - tools: refund
    verdict: ask
    when: size(principal.roles) > 0
`;
    const policy = await edited(refunds(30, { call: { principal: ann } }), text);
    const call = { toolName: "refund", input };
    expect(policy.evaluate({ ...call, principal: ann }).kind).toBe("notify");
    expect(policy.evaluate({ ...call, principal: null }).kind).toBe("ask");
    expect(policy.evaluate({ ...call, principal: { id: "a", roles: [] } }).kind).toBe("allow");
  });

  it("keeps how long people can undo a call about which nobody is asked any more", async () => {
    const text = askAlways.replace("ask }", "ask, reversible: 10m, withoutPreview: ask, quorum: 1 }");
    const history = refunds(30, { hasPreview: true, call: { effects: [{ target: "a" }], reversible: true } });
    const policy = await edited(history, text);
    const call = { toolName: "refund", input, effects: [{ target: "a" }], reversible: true };
    expect(policy.evaluate(call)).toMatchObject({
      kind: "notify",
      terms: { reversible: "10m", withoutPreview: "ask" },
    });
  });

  it("does not let a call run that only a default denied", async () => {
    const text = "version: 1\nrules:\n  - tools: refund\n    verdict: ask\n    when: principal.id == 'ann'\n";
    const policy = await edited(refunds(30, { call: { principal: ann } }), text);
    const call = { toolName: "refund", input };
    expect(policy.evaluate({ ...call, principal: ann }).kind).toBe("notify");
    expect(policy.evaluate({ ...call, principal: { id: "eve", roles: [] } }).kind).toBe("deny");
  });

  it("still denies a call without the preview on which the rule insists", async () => {
    const text = "version: 1\nrules:\n  - tools: refund\n    verdict: ask\n    withoutPreview: deny\n";
    const previewed = { effects: [{ target: "a" }], reversible: "30m" };
    const policy = await edited(refunds(30, { hasPreview: true, call: previewed }), text);
    expect(policy.evaluate({ toolName: "refund", input, ...previewed }).kind).toBe("notify");
    expect(policy.evaluate({ toolName: "refund", input }).kind).toBe("deny");
  });

  it("never covers unseen arguments: other amounts, more or fewer arguments, other kinds of values", async () => {
    const policy = await edited(refunds(30), askAlways);
    const verdictOn = (other: unknown) => policy.evaluate({ toolName: "refund", input: other }).kind;
    expect(verdictOn(input)).toBe("notify");
    for (const other of [
      ...[
        { ...input, amount: -15 },
        { ...input, amount: 38 },
        { ...input, currency: "USD" },
      ],
      ...[
        { ...input, note: "x" },
        { amount: 15 },
        { ...input, amount: "15" },
        { ...input, amount: [15] },
        {},
        null,
      ],
    ]) {
      expect(verdictOn(other)).toBe("ask");
    }
  });
});
