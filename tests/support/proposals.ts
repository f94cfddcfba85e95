import { randomUUID } from "node:crypto";
import type { Approval } from "countersign";
import { defaultTerms } from "countersign/internal";
import type { McpFacts } from "countersign/types";
import type { Store } from "./store.js";

/** Writes one gated call straight into a store, as the hook would, and opens it for decisions. */
export async function proposeCall(
  store: Store,
  options: {
    announce?: boolean;
    approvers?: Approval["approvers"];
    tenantId?: string;
    calls?: number;
    /** `null`: no run waits. @default a run of its own */
    runId?: string | null;
    /** The id of the Inngest client. @default that of the harness */
    appId?: string;
    instanceId?: string;
    timeoutMs?: number;
    toolName?: string;
    /** The MCP server that has the tool. */
    mcp?: McpFacts;
    toolVersion?: string;
    verdict?: Approval["verdict"];
    terms?: Partial<Approval["terms"]>;
    input?: Record<string, unknown>;
    /** The arguments of each call, by its position. */
    inputOf?: (position: number) => Record<string, unknown>;
    requesterId?: string;
    requesterName?: string;
    /** @default one thread for all */
    threadId?: string | null;
    limits?: Parameters<Store["propose"]>[0]["limits"];
    counts?: Parameters<Store["propose"]>[0]["counts"];
    /** What each call adds to which counter. */
    countedAs?: { counter: string; amount: number }[];
    modelText?: string;
    notify?: string[];
    summary?: string;
    risk?: Approval["risk"];
    /** Names the proposal, so that it can be repeated; calls of one name and position are the same call. */
    ids?: string;
    /** Equal calls with the same text here are duplicates. @default each call differs */
    about?: string;
    /** Signs evidence for calls that a grant approves. */
    signer?: Parameters<Store["propose"]>[1];
  } = {},
): Promise<Approval[]> {
  const name = options.ids ?? randomUUID();
  const requestId = `req_${name}`;
  const calls = Array.from({ length: options.calls ?? 1 }, (_, position) => ({
    id: `apr_${name}_${position}`,
    position,
    toolCallId: `call_${position}`,
    toolName: options.toolName ?? "refund",
    toolVersion: options.toolVersion ?? "1",
    inputJson: JSON.stringify(
      options.inputOf?.(position) ?? options.input ?? { id: "A-1", amount: 80 + position },
    ),
    verdict: options.verdict ?? ("ask" as const),
    inputSchemaJson: null,
    policyContext: { principal: null, profile: null, mcp: options.mcp ?? null },
    reason: null,
    summary: options.summary ?? "Refund A-1",
    risk: options.risk ?? ("medium" as const),
    terms: {
      ...defaultTerms,
      summaryParts: [{ text: options.summary ?? "Refund A-1" }],
      ...options.terms,
    },
    approvers: options.approvers ?? { roles: [], ids: [] },
    policyVersion: options.about ?? randomUUID(),
    timeoutMs: options.timeoutMs ?? 1_800_000,
    notify: options.notify ?? [],
    countedAs: options.countedAs ?? [],
  }));
  const proposed = await store.propose(
    {
      requestId,
      tenantId: options.tenantId ?? "acme",
      threadId: options.threadId === undefined ? "thread" : options.threadId,
      runId: options.runId === undefined ? `run_${randomUUID()}` : options.runId,
      appId: options.appId ?? "harness",
      instanceId: options.instanceId ?? null,
      agentName: "support",
      requesterId: options.requesterId ?? "requester",
      requesterName: options.requesterName,
      calls,
      limits: options.limits,
      counts: options.counts,
      modelText: options.modelText ?? null,
    },
    options.signer,
  );
  return options.announce === false ? proposed : store.announce(requestId);
}
