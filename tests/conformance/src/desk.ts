import { z } from "zod";
import { DemoProblem } from "./demo-problem.js";
import type { Probe } from "./probe/probe.js";
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
const sent = z.object({ ids: z.array(z.string()) });
const runs = z.object({ data: z.array(z.looseObject({ run_id: z.string() })) });

export type Approval = z.infer<typeof approval>;

/** The server under test, the demo in front of it, and the longest that each operation may take. */
export interface DeskOptions {
  engineUrl: string;
  demoUrl: string;
  patienceMs: number;
  /** Restarts the demo on the same data; absent if this program did not start the demo. */
  restartDemo?: () => Promise<void>;
  /** True for a demo that `serveDemo` started: its small refunds wait for seconds, and it uses the model of this program. */
  isOurs: boolean;
  /** The app that looks at what the server does to data and order. */
  probe?: Probe;
}

export type Desk = ReturnType<typeof openDesk>;

/** The demo and the server behind it, both reached only over HTTP. */
export function openDesk(options: DeskOptions) {
  const { engineUrl, demoUrl, patienceMs, restartDemo, isOurs, probe } = options;

  const call = async (person: string, path: string, body?: unknown) => {
    const response = await fetch(`${demoUrl}/api${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer demo-${person}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new DemoProblem(`The demo did not answer ${path}: ${String(error)}`);
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };

  /** The answer of the demo, checked against its schema. */
  const ask = async <T>(form: z.ZodType<T>, person: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call(person, path, body);
    const parsed = form.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    throw new DemoProblem(`The demo answered ${path} with ${answer.status}: ${JSON.stringify(answer.body)}`);
  };

  const askEngine = async (method: string, path: string, body?: unknown): Promise<string> => {
    const key = process.env.INNGEST_SIGNING_KEY;
    const response = await fetch(new URL(path, engineUrl), {
      method,
      headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    if (response.ok) return answer;
    throw new Error(`The server answered ${method} ${path} with ${response.status}: ${answer}`);
  };

  const desk = {
    restartDemo,
    isOurs,
    probe,
    call,
    until: <T>(what: string, look: () => Promise<T | undefined>, everyMs?: number) =>
      until(look, { what, patienceMs, ...(everyMs === undefined ? {} : { everyMs }) }),

    /** Sends a message to the agent, in a new or an existing thread. */
    say: (message: string, threadId?: string): Promise<{ threadId: string; runId: string | null }> =>
      ask(said, "requester", "/chat", { message, threadId }),
    async approvalsOf(threadId: string): Promise<Approval[]> {
      return (await ask(approvals, "admin", `/approvals?threadId=${threadId}`)).items;
    },
    /** The first calls of the thread, whatever their status. */
    proposed: (threadId: string): Promise<Approval[]> =>
      desk.until("the agent proposes a call", async () => {
        const calls = await desk.approvalsOf(threadId);
        return calls.length > 0 ? calls : undefined;
      }),
    /** The waiting calls of the thread, once there are that many. */
    waiting: (threadId: string, count = 1, everyMs?: number): Promise<Approval[]> =>
      desk.until(
        `${count} calls of the thread wait for people`,
        async () => {
          const calls = await desk.approvalsOf(threadId);
          if (calls.some(({ status }) => status === "expired")) {
            throw new DemoProblem("A call expired before this program saw it wait");
          }
          const open = calls.filter(({ status }) => status === "pending");
          return open.length === count ? open : undefined;
        },
        everyMs,
      ),
    async onlyWaiting(threadId: string, everyMs?: number): Promise<Approval> {
      const [only] = await desk.waiting(threadId, 1, everyMs);
      if (!only) throw new Error("No call waits");
      return only;
    },
    /** Decides, and throws if the demo refuses the decision. */
    async decide(
      person: string,
      { id, digest }: Approval,
      decision: { type: string; [field: string]: unknown },
    ) {
      const { status, body } = await call(person, `/approvals/${id}/decision`, { digest, ...decision });
      if (status !== 200) {
        throw new DemoProblem(`A decision was answered with ${status}: ${JSON.stringify(body)}`);
      }
    },
    /** Resolves when the call has the status `wanted`, and throws if it ends with another one. */
    endedAs: (id: string, wanted: string): Promise<string> =>
      desk.until(`the call is ${wanted}`, async () => {
        const { status } = await ask(approval, "admin", `/approvals/${id}`);
        if (["proposed", "pending", "approved", "executing"].includes(status) && status !== wanted) return;
        if (status !== wanted) throw new Error(`The call is ${status}, not ${wanted}`);
        return status;
      }),
    /** The last message of the agent, once its run has ended. */
    lastWords: (threadId: string): Promise<string> =>
      desk.until("the agent's run ends", async () => {
        const { status, messages } = await ask(thread, "requester", `/threads/${threadId}`);
        if (status === "failed") throw new Error("The agent's run failed");
        return status === "done" ? String(messages.at(-1)?.content) : undefined;
      }),
    /** Resolves when the agent's run has failed. */
    failed: (threadId: string): Promise<true> =>
      desk.until("the agent's run fails", async () => {
        const { status } = await ask(thread, "requester", `/threads/${threadId}`);
        if (status === "done") throw new Error("The agent's run ended well");
        return status === "failed" ? true : undefined;
      }),
    /** The effects that the tools had under this approval. */
    async effectsOf(approvalId: string) {
      const { items } = await ask(effects, "finance", "/demo/effects");
      return items.filter((effect) => effect.approvalId === approvalId);
    },
    /** Sends events as any holder of the event key can. Returns the server's ids of them. */
    async send(events: { id?: string; name: string; data: Record<string, unknown> }[]): Promise<string[]> {
      const answer = await askEngine("POST", `/e/${process.env.INNGEST_EVENT_KEY ?? "conformance"}`, events);
      return sent.parse(JSON.parse(answer)).ids;
    },
    /** The runs that the server lists for an event. Each request has a new address. */
    async runsOf(eventId: string): Promise<string[]> {
      const answer = await askEngine("GET", `/v1/events/${eventId}/runs?at=${performance.now()}`);
      return runs.parse(JSON.parse(answer)).data.map(({ run_id }) => run_id);
    },
    cancelRun: (runId: string): Promise<string> => askEngine("DELETE", `/v1/runs/${runId}`),
  };
  return desk;
}
