import { and, eq } from "drizzle-orm";
import { jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";

const pendingApprovals = pgTable("pending_approvals", {
  approvalId: text("approval_id").primaryKey(),
  threadId: text("thread_id").notNull(),
  eventId: text("event_id").notNull(),
  toolName: text("tool_name").notNull(),
  toolInput: jsonb("tool_input").notNull(),
  toolCallId: text("tool_call_id").notNull(),
  status: text("status", { enum: ["pending", "approved", "denied"] }).notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  resolvedAt: timestamp("resolved_at", { withTimezone: true }),
  resolvedBy: text("resolved_by"),
});

const createTable = `create table pending_approvals (
  approval_id text primary key, thread_id text not null, event_id text not null, tool_name text not null,
  tool_input jsonb not null, tool_call_id text not null, status text not null, created_at timestamptz not null,
  expires_at timestamptz not null, resolved_at timestamptz, resolved_by text
)`;

const halfAnHour = 30 * 60_000;

/**
 * What a team writes by hand where it has no plugin: a hook of the agent invokes a function that saves the calls of a
 * response, tells the page, waits for the answers and saves them; denied calls become results. There is no policy, no
 * identity, no proof and no log, and nothing keeps a decision from being lost or a call from starting twice.
 *
 * @param {string} url of a database of its own
 */
export async function sampleApproval(url) {
  const sql = postgres(url, { max: 10, onnotice: () => {} });
  await sql.unsafe(createTable);
  const db = drizzle(sql);
  /** @type {import("inngest").InngestFunction.Any} */
  let orchestrator;
  return {
    /** @type {import("./installation.mjs").InstallationOptions} */
    options: {
      plain: true,
      toolInStep: true,
      functions: (inngest) => {
        orchestrator = inngest.createFunction(
          { id: "handle-tool-approvals" },
          async ({ event, step, runId }) => {
            const { calls, threadId } = event.data;
            const results = [];
            for (const { toolName, toolInput, toolCallId } of calls) {
              const approvalId = `${runId}-${toolCallId}`;
              const eventId = `approval-${approvalId}`;
              await step.run(`save-${toolCallId}`, async () => {
                const createdAt = new Date();
                await db.insert(pendingApprovals).values({
                  ...{ approvalId, threadId, eventId, toolName, toolInput, toolCallId, createdAt },
                  ...{ status: "pending", expiresAt: new Date(createdAt.getTime() + halfAnHour) },
                });
              });
              const [, decision] = await Promise.all([
                step.sendEvent(`notify-${toolCallId}`, {
                  name: "ui.approval.requested",
                  data: { approvalId, eventId, toolName, toolInput },
                }),
                step.waitForEvent(`wait-${toolCallId}`, {
                  event: "hitl.approval.resolved",
                  timeout: "30m",
                  if: `async.data.eventId == ${JSON.stringify(eventId)}`,
                }),
              ]);
              const approved = decision?.data.approved === true;
              await step.run(`resolve-${toolCallId}`, async () => {
                const isOpen = and(
                  eq(pendingApprovals.approvalId, approvalId),
                  eq(pendingApprovals.status, "pending"),
                );
                await db
                  .update(pendingApprovals)
                  .set({
                    status: approved ? "approved" : "denied",
                    resolvedAt: new Date(),
                    resolvedBy: decision?.data.userId,
                  })
                  .where(isOpen);
              });
              results.push({ toolCallId, approved });
            }
            return results;
          },
        );
        return [orchestrator];
      },
      lifecycle: (step) => ({
        async onResponse({ result, network }) {
          const calls = result.output.flatMap((part) => (part.type === "tool_call" ? part.tools : []));
          const sensitive = calls.filter(({ name }) => name === "refund");
          if (sensitive.length === 0) return result;
          /** @type {{ toolCallId: string, approved: boolean }[]} */
          const answers = await step.invoke("handle-tool-approvals", {
            function: orchestrator,
            data: {
              calls: sensitive.map(({ id, name, input }) => ({
                toolName: name,
                toolInput: input,
                toolCallId: id,
              })),
              threadId: network?.state.threadId,
            },
          });
          /** @param {{ id: string }} call */
          const isDenied = ({ id }) =>
            answers.some(({ toolCallId, approved }) => toolCallId === id && !approved);
          const kept = result.output
            .map((part) =>
              part.type === "tool_call"
                ? { ...part, tools: part.tools.filter((call) => !isDenied(call)) }
                : part,
            )
            .filter((part) => part.type !== "tool_call" || part.tools.length > 0);
          /** @type {import("@inngest/agent-kit").Message[]} */
          const denials = calls.filter(isDenied).map((tool) => ({
            ...{ role: "tool_result", type: "tool_result", tool, stop_reason: "tool" },
            content: { error: `${tool.name} was not permitted.` },
          }));
          result.output = [...kept, ...denials];
          return result;
        },
      }),
    },
    /** The event that answers each pending approval. */
    async pending() {
      const rows = await db.select().from(pendingApprovals).where(eq(pendingApprovals.status, "pending"));
      return rows.map(({ eventId }) => eventId);
    },
    /** @param {import("inngest").Inngest} inngest @param {string} eventId */
    approve: (inngest, eventId) =>
      inngest.send({ name: "hitl.approval.resolved", data: { eventId, approved: true, userId: "finance" } }),
    close: () => sql.end(),
  };
}
