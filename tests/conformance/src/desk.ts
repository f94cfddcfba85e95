import { z } from "zod";
import { until } from "./until.js";

const approval = z.object({
  id: z.string(),
  requestId: z.string(),
  threadId: z.string(),
  toolName: z.string(),
  status: z.string(),
  digest: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const approvals = z.object({ items: z.array(approval) });
const thread = z.object({ status: z.string(), messages: z.array(z.looseObject({ role: z.string() })) });
const effects = z.object({
  items: z.array(
    z.object({
      toolName: z.string(),
      approvalId: z.string().nullish(),
      input: z.record(z.string(), z.unknown()),
    }),
  ),
});
const said = z.object({ threadId: z.string(), runId: z.string().nullable() });

export type Approval = z.infer<typeof approval>;

/** Which server is looked at, through which demo, and how long anything may take. */
export interface DeskOptions {
  engineUrl: string;
  demoUrl: string;
  patienceMs: number;
  /** Starts the demo again on the same data; absent where it is not ours to stop. */
  restartDemo?: () => Promise<void>;
  /** True where small refunds wait for seconds; a demo that is not ours has its own times. */
  shortRefunds: boolean;
}

export type Desk = ReturnType<typeof openDesk>;

/** The demo and the server behind it, through nothing but what both answer over HTTP. */
export function openDesk(options: DeskOptions) {
  const { engineUrl, demoUrl, patienceMs, restartDemo, shortRefunds } = options;

  const call = async (person: string, path: string, body?: unknown) => {
    const response = await fetch(`${demoUrl}/api${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer demo-${person}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };

  const askEngine = async (method: string, path: string, body?: unknown) => {
    const key = process.env.INNGEST_SIGNING_KEY;
    const response = await fetch(new URL(path, engineUrl), {
      method,
      headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) {
      throw new Error(
        `The server answered ${method} ${path} with ${response.status}: ${await response.text()}`,
      );
    }
  };

  const desk = {
    restartDemo,
    shortRefunds,
    call,
    until: <T>(what: string, look: () => Promise<T | undefined>, everyMs?: number) =>
      until(look, { what, patienceMs, ...(everyMs === undefined ? {} : { everyMs }) }),

    /** Says something to the agent. */
    async say(message: string): Promise<{ threadId: string; runId: string | null }> {
      return said.parse((await call("requester", "/chat", { message })).body);
    },
    async approvalsOf(threadId: string): Promise<Approval[]> {
      return approvals.parse((await call("admin", `/approvals?threadId=${threadId}`)).body).items;
    },
    /** The calls of the thread that wait, once there are as many. */
    waiting: (threadId: string, count = 1, everyMs?: number): Promise<Approval[]> =>
      desk.until(
        `${count} calls of the thread wait for people`,
        async () => {
          const open = (await desk.approvalsOf(threadId)).filter(({ status }) => status === "pending");
          return open.length === count ? open : undefined;
        },
        everyMs,
      ),
    async onlyWaiting(threadId: string, everyMs?: number): Promise<Approval> {
      const [only] = await desk.waiting(threadId, 1, everyMs);
      if (!only) throw new Error("No call waits");
      return only;
    },
    /** Decides, and fails where the demo does not take it. */
    async decide(
      person: string,
      { id, digest }: Approval,
      decision: { type: string; [field: string]: unknown },
    ) {
      const { status, body } = await call(person, `/approvals/${id}/decision`, { digest, ...decision });
      if (status !== 200) throw new Error(`A decision was answered with ${status}: ${JSON.stringify(body)}`);
    },
    /** How the call ended, once it has. */
    endedAs: (id: string, wanted: string): Promise<string> =>
      desk.until(`the call is ${wanted}`, async () => {
        const { status } = approval.parse((await call("admin", `/approvals/${id}`)).body);
        if (["proposed", "pending", "approved", "executing"].includes(status) && status !== wanted) return;
        if (status !== wanted) throw new Error(`The call is ${status}, not ${wanted}`);
        return status;
      }),
    /** What the agent said last, once it has nothing more to do. */
    lastWords: (threadId: string): Promise<string> =>
      desk.until("the agent's run ends", async () => {
        const { status, messages } = thread.parse((await call("requester", `/threads/${threadId}`)).body);
        if (status === "failed") throw new Error("The agent's run failed");
        return status === "done" ? String(messages.at(-1)?.content) : undefined;
      }),
    /** What the tools did to the world under this approval. */
    async effectsOf(approvalId: string) {
      const { items } = effects.parse((await call("finance", "/demo/effects")).body);
      return items.filter((effect) => effect.approvalId === approvalId);
    },
    /** Sends events as anybody may who has the event key. */
    send: (events: { id?: string; name: string; data: Record<string, unknown> }[]): Promise<void> =>
      askEngine("POST", `/e/${process.env.INNGEST_EVENT_KEY ?? "conformance"}`, events),
    cancelRun: (runId: string): Promise<void> => askEngine("DELETE", `/v1/runs/${runId}`),
  };
  return desk;
}
