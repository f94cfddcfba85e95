import { randomUUID } from "node:crypto";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { call, refund } from "../support/mcp-server/agent-requests.js";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const protocolVersion = "2026-07-28";
const clientInfo = { name: "agent", version: "1" };
const extension = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Sends one request of the protocol of 2026 without a client library. */
async function send(token: string, request: { method: string; params: Record<string, unknown> }, to = world) {
  const { method, params } = request;
  const body = JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), ...request });
  const response = await to.post(token, body, {
    "mcp-protocol-version": protocolVersion,
    "mcp-method": method,
    "mcp-name": String(params.name ?? params.taskId),
  });
  const text = await response.text();
  return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
}

/** Sends a request about a task, by default from a client with the tasks extension. */
const ask = (token: string, method: string, taskId: string, capabilities: object = extension, to = world) =>
  send(
    token,
    {
      method,
      params: {
        taskId,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": protocolVersion,
          "io.modelcontextprotocol/clientInfo": clientInfo,
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    },
    to,
  );

/** The extension's official client. */
async function tasks(token = "agent") {
  const client = await world.client(token);
  return createTaskSessionFromClient(client, {
    endpointId: "desk",
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
    async rawDispatch(request) {
      const { error, result } = await send(token, request as Parameters<typeof send>[1]);
      return error ? { kind: "error", error } : { kind: "result", result };
    },
  });
}

async function taskOf(session: Awaited<ReturnType<typeof tasks>>, action = refund()) {
  // The client's types ask for plain JSON.
  const execution = await session.callTool("request_approval", JSON.parse(JSON.stringify(action)));
  const taskId = String(execution.handle?.taskId);
  return { action, execution, taskId };
}

it("a client with the tasks extension gets a task, and its result after the decision", async () => {
  const session = await tasks();
  const { action, execution, taskId } = await taskOf(session);
  expect(execution.kind).toBe("task");
  expect(await ask("agent", "tasks/get", taskId)).toMatchObject({
    result: { resultType: "complete", taskId, status: "working", ttlMs: null },
  });
  const settled = execution.settle();
  await world.decide("finance", taskId, "approve");
  const result = resultFromTaskOutcome((await settled).outcome);
  expect(structured(result)).toMatchObject({ status: "approved", approvalId: taskId });

  const use = { approvalId: taskId, ...action };
  const agent = await world.client("agent");
  expect(structured(await call(agent, "use_approval", use))).toMatchObject({ go: true });
  expect(structured(await call(agent, "use_approval", use))).toMatchObject({ go: false, status: "used" });
  await session.close();
});

it("a denial completes the task with a result that the agent's model can read", async () => {
  const session = await tasks();
  const { execution, taskId } = await taskOf(session);
  await world.decide("finance", taskId, "deny");
  const { outcome } = await execution.settle();
  expect(structured(resultFromTaskOutcome(outcome))).toMatchObject({
    status: "refused",
    refusal: { code: "denied_by_person" },
  });
  await session.close();
});

it("cancelling a task withdraws the request", async () => {
  const session = await tasks();
  const { execution, taskId } = await taskOf(session);
  await execution.cancel();
  await eventually(
    async () => ((await world.show("finance", taskId)).status === "withdrawn" ? true : undefined),
    "the request is withdrawn",
  );
  expect(await ask("agent", "tasks/get", taskId)).toMatchObject({ result: { status: "cancelled" } });
  expect((await world.decide("finance", taskId, "approve")).status).toBe(409);
  await session.close();
});

it("a call that the policy decides at once returns a result instead of a task", async () => {
  const session = await tasks();
  const execution = await session.callTool("request_approval", { tool: "lookup", arguments: {} });
  expect(execution.kind).toBe("immediate");
  const { outcome } = await execution.settle();
  expect(structured(resultFromTaskOutcome(outcome))).toEqual({ status: "allowed" });
  await session.close();
});

it("another process can answer for a task, because the approval is its only state", async () => {
  const session = await tasks();
  const { taskId } = await taskOf(session);
  await using other = await openMcpWorld({ database: world.database });
  expect(await ask("agent", "tasks/get", taskId, extension, other)).toMatchObject({
    result: { status: "working" },
  });
  await session.close();
});

it("a task does not exist for other agents, other tenants and people without an agent's role", async () => {
  const session = await tasks();
  const { taskId } = await taskOf(session);
  for (const token of ["other-agent", "stranger"]) {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await ask(token, method, taskId);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("does not exist") });
    }
  }
  expect((await ask("finance", "tasks/get", taskId)).error).toMatchObject({ code: -32601 });
  expect(await world.show("finance", taskId)).toMatchObject({ status: "pending" });
  await session.close();
});

it("a call of an AgentKit agent does not exist as a task, even for its requester", async () => {
  const { id } = await world.waiting({ requesterId: "agent" });
  expect(await world.show("agent", id)).toMatchObject({ id, status: "pending" });
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { error } = await ask("agent", method, id);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("does not exist") });
  }
  expect(await world.show("finance", id)).toMatchObject({ status: "pending" });
});

it("a client without the tasks extension gets no task, and its task requests are refused", async () => {
  const agent = await world.client("agent");
  const asked = structured(await call(agent, "request_approval", refund()));
  expect(asked).toMatchObject({ status: "pending", digest: expect.any(String) });
  const { error } = await ask("agent", "tasks/get", String(asked.approvalId), {});
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: extension } });
});
