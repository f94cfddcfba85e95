/** A bug for the product: texts of one of its built modules, and what stands there instead. */
export interface Plant {
  /** Below `packages/countersign/dist`. */
  module: string;
  edits: readonly { from: string; to: string }[];
}

/** Bugs that chaos must find; none of them is in the product, whose modules are changed as Node loads them. */
export const plants = {
  /** A handler runs without its row having been taken. */
  "skip-the-claim": {
    module: "agent-hook/execute.js",
    edits: [
      {
        from: "const claim = await runtime.store.claim(approvalId, kind, stillAllowed(runtime, call, options), runtime.signer);",
        to: 'const claim = { outcome: "claimed", approval: await runtime.store.getApproval(runtime.tenantId, approvalId) };',
      },
    ],
  },
  /** A wake-up is only sent, and not also kept until its run has taken note. */
  "drop-the-outbox": {
    module: "store/request.js",
    edits: [
      {
        from: "return written && { requestId: request.id, token: request.wakeUpToken };",
        to: "await db.delete(outbox).where(eq(outbox.requestId, request.id));\n    return written && { requestId: request.id, token: request.wakeUpToken };",
      },
    ],
  },
  /** People are told of a call before its run has begun to wait for them. */
  "announce-before-the-wait": {
    module: "orchestrator/orchestrator.js",
    edits: [
      {
        from: "let waitMs = request.timeoutMs;",
        to: 'let waitMs = request.timeoutMs;\n        await step.run("announce", () => announce(inngest, store, requestId));',
      },
    ],
  },
  /** Whoever sends a wake-up ends the wait, whatever the database says. */
  "trust-the-event": {
    module: "orchestrator/orchestrator.js",
    edits: [
      { from: "await Promise.all([", to: "const [woken] = await Promise.all([" },
      { from: "if (progress.settled)", to: "if (woken || progress.settled)" },
    ],
  },
  /** What is stored runs, whether or not it is what was approved. */
  "forget-the-digest-check": {
    module: "agent-hook/execute.js",
    edits: [
      { from: "if (approvalDigest(approval) !== approval.digest)", to: "if (approval.digest === undefined)" },
    ],
  },
} as const satisfies Record<string, Plant>;

export type PlantName = keyof typeof plants;

/** The module with the bug in it. */
export function planted({ module, edits }: Plant, source: string): string {
  return edits.reduce((text, { from, to }) => {
    if (text.split(from).length !== 2) {
      throw new Error(`The plant does not fit: ${module} does not have this text exactly once: ${from}`);
    }
    return text.replace(from, () => to);
  }, source);
}

export function isPlantName(name: string): name is PlantName {
  return Object.hasOwn(plants, name);
}
