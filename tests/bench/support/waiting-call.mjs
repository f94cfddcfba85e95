/**
 * The proposal of one call that finance decides, as the hook writes it.
 * @param {{ tenantId: string, threadId: string, requesterId: string, runId?: string, input?: object }} of
 */
export function waitingCall({ tenantId, threadId, requesterId, runId = "run", input = { id: threadId } }) {
  return {
    requestId: `req_${threadId}`,
    wakeUpToken: "token",
    tenantId,
    threadId,
    runId,
    parentRunId: null,
    agentName: "support",
    requesterId,
    modelText: "I will refund it",
    limits: { pendingPerTenant: 100_000, pendingPerThread: 100, pendingPerRequester: 100_000, denials: 100 },
    meetsCondition: async () => [],
    calls: [
      {
        id: `apr_${threadId}`,
        position: 0,
        toolCallId: "call_1",
        toolName: "refund",
        toolVersion: "1",
        inputJson: JSON.stringify(input),
        policyVersion: "1",
        inputSchemaJson: null,
        policyContext: { principal: null, profile: null, mcp: null },
        verdict: /** @type {const} */ ("ask"),
        reason: null,
        summary: `Refund ${threadId}`,
        risk: /** @type {const} */ ("medium"),
        approvers: { roles: ["finance"], ids: [] },
        timeoutMs: 3_600_000,
        notify: [],
        terms: {
          decisions: ["approve", "deny"],
          quorum: 1,
          distinctRoles: false,
          denials: 1,
          escalation: [],
          editable: [],
          redact: [],
          redactPatterns: [],
          requesterMayNotApprove: false,
          extensions: 0,
          delegable: false,
          grantable: [],
          idempotent: false,
          codePreview: null,
          checks: [],
          reasons: [],
          decideIn: ["inbox"],
          summaryParts: [{ text: `Refund ${threadId}` }],
        },
      },
    ],
  };
}
