import { createDemo, readConfig } from "@countersign/demo";
import { freshPostgres } from "../databases.js";
import { eventually } from "../harness.js";

/** The fields of an approval in the demo's API that tests use. */
export interface DemoApproval {
  id: string;
  threadId: string;
  toolName: string;
  status: string;
  digest: string;
  [field: string]: unknown;
}

/** Milliseconds: several demos may start at once on a small machine. */
const patience = 45_000;

/** The demo in this process with a database of its own. Tests use it over HTTP. */
export async function openDemo(environment: Record<string, string> = {}) {
  const database = await freshPostgres(1);
  const demo = await createDemo(
    readConfig({ PORT: "0", DATA_DIR: "memory://", DATABASE_URL: database.url, ...environment }),
  );
  await demo.start();

  const call = async (who: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${demo.port}/api${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer demo-${who}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };

  const world = {
    model: demo.scripted,
    /** The address of its API. */
    api: `http://127.0.0.1:${demo.port}/api`,
    call,
    /** Says something to the agent; the id of the thread. */
    async say(message: string, threadId?: string): Promise<string> {
      const { body } = await world.call("requester", "/chat", { message, ...(threadId && { threadId }) });
      return body.threadId;
    },
    /** The approvals of the thread with this status, once there is one; as somebody sees them. */
    waiting: (threadId: string, who = "finance", status = "pending"): Promise<DemoApproval> =>
      eventually(
        async () => {
          const { body } = await world.call(who, `/approvals?status=${status}&threadId=${threadId}`);
          return body.items[0];
        },
        `an approval that is ${status}`,
        patience,
      ),
    approval: async (who: string, id: string): Promise<DemoApproval> =>
      (await world.call(who, `/approvals/${id}`)).body,
    decide: (
      who: string,
      { id, digest }: DemoApproval,
      decision: { type: string; [field: string]: unknown },
    ) => world.call(who, `/approvals/${id}/decision`, { digest, ...decision }),
    /** The agent's last message, once it has finished its work in the thread. */
    lastWords: (threadId: string): Promise<string> =>
      eventually(
        async () => {
          const { body } = await world.call("requester", `/threads/${threadId}`);
          return body.status === "done" ? String(body.messages.at(-1).content) : undefined;
        },
        "the thread is done",
        patience,
      ),
    /** The effects of tools under this approval. */
    async effectsOf(approvalId: string): Promise<unknown[]> {
      const { body } = await world.call("finance", "/demo/effects");
      return body.items.filter((effect: { approvalId: string }) => effect.approvalId === approvalId);
    },
    async effects(): Promise<{ toolName: string; input: unknown }[]> {
      return (await world.call("finance", "/demo/effects")).body.items;
    },
    /** The types of the approval's audit entries, oldest first, and what they hold. */
    async audit(approvalId: string): Promise<{ type: string; actorId: string | null; data: object }[]> {
      return (await world.call("admin", `/approvals/${approvalId}/audit`)).body.items;
    },
    /** The last request to the model, as text. */
    lastModelRequest: () => JSON.stringify(demo.scripted.requests.at(-1)?.body),
    async [Symbol.asyncDispose]() {
      await demo.stop();
      await database[Symbol.asyncDispose]();
    },
  };
  return world;
}

export type DemoWorld = Awaited<ReturnType<typeof openDemo>>;
