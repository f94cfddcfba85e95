import type { ToolName } from "./scenario/tools.js";

/** A bug for the product: texts of one of its modules, as the build writes it, and their replacements. */
export interface Plant {
  /** Below `packages/countersign/src`. */
  module: string;
  edits: readonly { from: string; to: string }[];
  /** What a drill does to find it: it calls only these tools, and kills processes only at these points, once at each. */
  aim: { tools: readonly ToolName[]; points?: readonly string[] };
}

/** Bugs that chaos must find. None of them is in the product: its modules are changed as Node loads them. */
export const plants = {
  /** A handler runs although its row was not claimed. */
  "skip-the-claim": {
    module: "call/execute/execute.ts",
    aim: { tools: ["archive", "refund"] },
    edits: [
      {
        from: "const claim = await runtime.store.claim(approvalId, kind, stillAllowed(runtime, call, said), runtime.signer, runId);",
        to: 'const claim = { outcome: "claimed", approval: await runtime.store.getApproval(runtime.tenantId, approvalId) };',
      },
    ],
  },
  /** A replay that finds a call allowed by the present policy lets it run, whatever its proposal says. */
  "judge-again-on-replay": {
    module: "call/judge/call-outcomes.ts",
    aim: { tools: ["adjust"] },
    edits: [
      {
        from: "const { requestId, callIds, outcomes, problem } = await proposal(",
        to: `const isAllowed = ({ tool }) => runtime.policy.evaluate({ toolName: tool.name, input: tool.input }).kind === "allow";
    if (calls.every(isAllowed))
        return { requestId: key, outcomes: calls.map(() => ({ kind: "allowed" })) };
    const { requestId, callIds, outcomes, problem } = await proposal(`,
      },
    ],
  },
  /** A wake-up is sent, but not kept in the outbox until its run has processed it. */
  "drop-the-outbox": {
    module: "store/request/wake-up.ts",
    aim: { tools: ["inspect"] },
    edits: [{ from: 'wakeUp: "queued",', to: "" }],
  },
  /** A call is announced before its run has begun to wait. */
  "announce-before-the-wait": {
    module: "orchestrator/orchestrator.ts",
    aim: { tools: ["refund", "email"] },
    edits: [
      {
        from: "let waitMs = deadlineMs;",
        to: 'let waitMs = deadlineMs;\n        await step.run("announce", () => announce(inngest, store, requestId));',
      },
    ],
  },
  /** A held decision takes effect at once. */
  "forget-the-hold": {
    module: "store/approval/hold.ts",
    aim: { tools: ["email"] },
    edits: [{ from: "request.now.getTime() + holdMs", to: "request.now.getTime()" }],
  },
  /** Who takes back a held decision is told so, but nothing is changed. */
  "forget-the-take-back": {
    module: "store/approval/hold.ts",
    aim: { tools: ["inspect"] },
    edits: [
      {
        from: "call.change(noHold);",
        to: 'if (held)\n        return { result: { outcome: "taken_back", approval, wakeUp: undefined } };\n    call.change(noHold);',
      },
    ],
  },
  /** Any wake-up ends the wait, whatever the database says. */
  "trust-the-event": {
    module: "orchestrator/orchestrator.ts",
    aim: { tools: ["refund", "email"] },
    edits: [
      { from: "await Promise.all([", to: "const [woken] = await Promise.all([" },
      { from: "if (progress.settled)", to: "if (woken || progress.settled)" },
    ],
  },
  /** The stored arguments run, whether or not they were approved. */
  "forget-the-digest-check": {
    module: "approval/approval-digest.ts",
    aim: { tools: ["refund", "email"] },
    edits: [
      {
        from: "function approvalDigest(subject) {",
        to: "function approvalDigest(subject) {\n    if (subject.digest !== undefined)\n        return subject.digest;",
      },
    ],
  },
  /** An approved call starts whatever its preview says then. */
  "forget-the-effects": {
    module: "call/execute/previews.ts",
    aim: { tools: ["refund", "email"] },
    edits: [
      {
        from: "function previewObjection(ran, approval) {",
        to: "function previewObjection(ran, approval) {\n    return undefined;",
      },
    ],
  },
  /** The calls that limits over time count leave no rows to count. */
  "forget-the-counts": {
    module: "store/request/propose.ts",
    aim: { tools: ["spend"] },
    edits: [{ from: "counted: isCounted ? call.proposed.countedAs ?? [] : []", to: "counted: []" }],
  },
  /** Two processes send the same message at once. */
  "ignore-the-lease": {
    module: "store/delivery/claim-delivery.ts",
    aim: { tools: ["archive", "payout"], points: ["after-announce"] },
    edits: [{ from: "lte(deliveries.leasedUntil, now)", to: "sql `true`" }],
  },
  /** The announcements for channels are written after the commit, and lost with the process. */
  "announce-after-the-commit": {
    module: "store/verb.ts",
    aim: { tools: ["refund"], points: ["after-announce", "after-decision"] },
    edits: [
      { from: "...deliveries.length > 0 && { deliveries },", to: "" },
      {
        from: "const due = deliveries.map(({ id }) => id);",
        to: `setTimeout(() => write({ scope, tenantId }, storableJson({ approvals: [], deliveries, logs: [] }))
            .then(() => onCommitted([], deliveries.map(({ id }) => id), new Set())).catch(() => {}), 2000);
        const due = [];`,
      },
    ],
  },
  /** An undo runs without being claimed, and its end is not recorded. */
  "undo-twice": {
    module: "undo/undo-function.ts",
    aim: { tools: ["book"] },
    edits: [
      {
        from: "return (await outcomeInStep(runtime, call, call.kind, withoutNetwork(runtime), runId)).status;",
        to: `{
        const { withApproval } = await import("./chunk-name-in-run.js");
        await call.tool.handler(call.input, withApproval(withoutNetwork(runtime), undo.id));
        return "executed";
    }`,
      },
    ],
  },
  /** An undo is told to take back another call than the one that people asked about. */
  "undo-another-call": {
    module: "undo/undo-call.ts",
    aim: { tools: ["book"] },
    edits: [{ from: "undoneApprovalId: call.id,", to: "undoneApprovalId: approval.id," }],
  },
  /** The call whose undo has run is not marked as undone. */
  "forget-the-mark": {
    module: "store/approval/finish.ts",
    aim: { tools: ["book"] },
    edits: [{ from: 'const undone = end.status === "executed" ?', to: "const undone = false ?" }],
  },
  /** A failed undo marks its call as undone. */
  "mark-what-failed": {
    module: "store/approval/finish.ts",
    aim: { tools: ["book"] },
    edits: [{ from: 'const undone = end.status === "executed" ?', to: "const undone = true ?" }],
  },
  /** A grant's budget is looked at neither when a call is proposed nor when it starts: each of the two would do. */
  "forget-the-budget": {
    module: "store/grant/spend-budget.ts",
    aim: { tools: ["pay"] },
    edits: [
      {
        from: "const [spend, total] = [String(amount), String(budget.total)];",
        to: 'const [spend, total] = [String(amount), "1e12"];',
      },
      { from: "if (fits &&", to: "if (" },
      { from: "total: String(total),", to: 'total: "1e12",' },
    ],
  },
} as const satisfies Record<string, Plant>;

export type PlantName = keyof typeof plants;

/** Whether a built file holds the module. */
export function holds({ module }: Plant, built: string): boolean {
  return built.includes(headOf(module));
}

/** The built file with the bug in its module. */
export function planted({ module, edits }: Plant, built: string): string {
  const head = headOf(module);
  const [before = "", after = ""] = built.split(head);
  const length = after.search(/^(\/\/ src\/|export \{)/m);
  const source = after.slice(0, length);
  const changed = edits.reduce((text, { from, to }) => {
    if (text.split(from).length !== 2) {
      throw new Error(`The plant does not fit: ${module} does not have this text exactly once: ${from}`);
    }
    return text.replace(from, () => to);
  }, source);
  return before + head + changed + after.slice(length);
}

/** What the bundler writes above each module. */
const headOf = (module: string) => `\n// src/${module}\n`;

export function isPlantName(name: string): name is PlantName {
  return Object.hasOwn(plants, name);
}
