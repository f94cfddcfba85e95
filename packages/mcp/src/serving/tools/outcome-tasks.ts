import { CountersignError } from "@countersign/policy/internal/shared/errors";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ExternalCallOutcome } from "countersign/types";
import * as z from "zod";
import type { Reader } from "../reader.js";
import { outcomeResult } from "./outcome-result.js";

/** The extension with which clients fetch the result of a call later (`io.modelcontextprotocol/tasks`, 2026-07-28). */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The interval in which clients should poll. */
const pollIntervalMs = 2000;

const capabilities = z.object({ extensions: z.object({ [tasksExtension]: z.object({}) }) });

/** Whether the client of this request accepts a task in place of a result. */
export function acceptsTasks({ era }: Pick<Reader, "era">, ctx: ServerContext): boolean {
  const declared: unknown = Reflect.get(ctx.mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY);
  return era === "modern" && capabilities.safeParse(declared).success;
}

/** A pending call as a task. The task's id is the approval's id, so any process can answer requests about it. */
export async function newTask(reader: Reader, approvalId: string) {
  return { resultType: "task" as const, ...(await taskOf(reader, approvalId)), status: "working" as const };
}

/** Handles the extension's requests. The approval's row is the only state. */
export function addOutcomeTasks({ server }: McpServer, reader: Reader): void {
  const { externalCalls } = reader.countersign;
  const params = z.object({ taskId: z.string().min(1).max(200) });
  const withTask =
    <Result>(answer: (reference: { approvalId: string }) => Promise<Result>) =>
    async ({ taskId }: z.infer<typeof params>, ctx: ServerContext): Promise<Result> => {
      if (!acceptsTasks(reader, ctx)) {
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [tasksExtension]: {} } },
        });
      }
      try {
        return await answer({ approvalId: taskId });
      } catch (error) {
        const known = CountersignError.isInstance(error);
        const message = known ? error.message : "The task could not be read. Try again later";
        throw new ProtocolError(
          known ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
          message,
        );
      }
    };
  const { principal } = reader;
  const outcomeOf = ({ approvalId }: { approvalId: string }) =>
    externalCalls.outcome({ principal, approvalId });

  server.setRequestHandler(
    "tasks/get",
    { params },
    withTask(async (reference) => {
      const outcome = await outcomeOf(reference);
      return { ...(await taskOf(reader, reference.approvalId)), ...stateOf(outcome) };
    }),
  );
  server.setRequestHandler(
    "tasks/cancel",
    { params },
    withTask(async ({ approvalId }) => {
      await externalCalls.withdraw({ principal, approvalId });
      return {};
    }),
  );
  // These tasks never ask their client for input, so an update only checks that the task exists.
  server.setRequestHandler(
    "tasks/update",
    { params },
    withTask(async (reference) => {
      await outcomeOf(reference);
      return {};
    }),
  );
}

async function taskOf(reader: Reader, approvalId: string) {
  const { createdAt, decision } = await reader.context.find(reader.principal, approvalId);
  return {
    taskId: approvalId,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: (decision?.decidedAt ?? createdAt).toISOString(),
    ttlMs: null,
    pollIntervalMs,
  };
}

/** The state of the task. A refusal is a result like any other; only a withdrawn call has no result. */
function stateOf(outcome: ExternalCallOutcome) {
  if (outcome.status === "pending") {
    return { status: "working" as const, statusMessage: "It waits for a person." };
  }
  if (outcome.status === "refused" && outcome.refusal.code === "approval_withdrawn") {
    return { status: "cancelled" as const, statusMessage: outcome.refusal.message };
  }
  return { status: "completed" as const, result: { resultType: "complete", ...outcomeResult(outcome) } };
}
