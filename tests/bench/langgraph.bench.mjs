import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { scaled } from "./support/brief.mjs";
import { finance, install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * The same job on LangGraph JS with its Postgres checkpointer and on Countersign with the local engine, in turns on one
 * Postgres: a tool waits for an approval, and then runs. Each as its documentation has it, with the connections that it
 * takes by default.
 */
const rounds = scaled(40);
const warmUp = scaled(10);
const atOnce = scaled(200);
const resumers = 5;

/**
 * @typedef {object} Subject
 * @property {(id: string) => Promise<void>} propose resolves when the call waits
 * @property {(id: string) => Promise<unknown>} approve
 * @property {() => Promise<void>} settled resolves when everything that was begun has ended
 * @property {(listener: (id: string) => void) => void} onTool
 * @property {() => Promise<void>} close
 */

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* langGraph() {
  const server = await startPostgres();
  const theirs = await langGraphSubject(await server.open("langgraph"));
  const ours = await countersignSubject(server.url);
  const subjects = [
    { name: "LangGraph", subject: theirs, times: /** @type {number[]} */ ([]), perSecond: 0, starts: 0 },
    { name: "Countersign", subject: ours, times: /** @type {number[]} */ ([]), perSecond: 0, starts: 0 },
  ];
  try {
    for (let round = 0; round < warmUp + rounds; round++) {
      for (const { subject, times } of subjects) {
        const time = await decisionToTool(subject, `one ${round}`);
        if (round >= warmUp) times.push(time);
      }
    }
    for (const each of subjects) each.perSecond = await approvalsPerSecond(each.subject);
    for (const each of subjects) each.starts = await startsOfOneCall(each.subject);
  } finally {
    await theirs.close();
    await ours.close();
    await server.stop();
  }
  const [lang, own] = subjects;
  if (!lang || !own) throw new Error("unreachable");
  const toTool = median(own.times);
  yield { name: "LangGraph: approval asked for to tool", value: median(lang.times), unit: "ms" };
  yield {
    name: "beside LangGraph: approval asked for to tool",
    value: toTool,
    unit: "ms",
    ratioTo: "LangGraph",
    ratio: toTool / median(lang.times),
    aim: "≤ 50 ms",
    met: toTool <= 50,
  };
  yield { name: `LangGraph: approvals a second, ${atOnce} at once`, value: lang.perSecond, unit: "a second" };
  yield {
    name: `beside LangGraph: approvals a second, ${atOnce} at once`,
    value: own.perSecond,
    unit: "a second",
    ratioTo: "LangGraph",
    ratio: own.perSecond / lang.perSecond,
    aim: "≥ 1 ×",
    met: own.perSecond >= lang.perSecond,
  };
  yield {
    name: `LangGraph: starts of one call, ${resumers} approve at once`,
    value: lang.starts,
    unit: "starts",
  };
  yield {
    name: `beside LangGraph: starts of one call, ${resumers} approve at once`,
    value: own.starts,
    unit: "starts",
    aim: "1",
    met: own.starts === 1,
  };
}

/** @param {Subject} subject @param {string} id */
async function decisionToTool(subject, id) {
  await subject.propose(id);
  /** @type {Promise<number>} */
  const started = new Promise((resolve) => subject.onTool(() => resolve(performance.now())));
  const start = performance.now();
  await subject.approve(id);
  const time = (await started) - start;
  await subject.settled();
  return time;
}

/** From the first decision until all that it set off has ended. @param {Subject} subject */
async function approvalsPerSecond(subject) {
  const ids = Array.from({ length: atOnce }, (_, index) => `many ${index}`);
  await Promise.all(ids.map((id) => subject.propose(id)));
  await subject.settled();
  const ran = new Set();
  subject.onTool((id) => ran.add(id));
  const start = performance.now();
  await Promise.all(ids.map((id) => subject.approve(id)));
  await subject.settled();
  const seconds = (performance.now() - start) / 1000;
  if (ran.size !== atOnce) throw new Error(`${ran.size} of ${atOnce} calls ran`);
  return atOnce / seconds;
}

/** @param {Subject} subject */
async function startsOfOneCall(subject) {
  await subject.propose("contested");
  let starts = 0;
  subject.onTool(() => starts++);
  await Promise.allSettled(Array.from({ length: resumers }, () => subject.approve("contested")));
  await subject.settled();
  return starts;
}

/** @param {string} url @returns {Promise<Subject>} */
async function langGraphSubject(url) {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  /** @type {(id: string) => void} */
  let onTool = () => {};
  const state = Annotation.Root({ id: Annotation(), result: Annotation() });
  const graph = new StateGraph(state)
    .addNode("refund", ({ id }) => {
      const decision = interrupt({ tool: "refund", input: { id } });
      if (decision !== "approve") return { result: "denied" };
      onTool(id);
      return { result: { done: id } };
    })
    .addEdge(START, "refund")
    .addEdge("refund", END)
    .compile({ checkpointer: saver });
  /** @param {string} id */
  const thread = (id) => ({ configurable: { thread_id: id } });
  return {
    async propose(id) {
      await graph.invoke({ id }, thread(id));
    },
    approve: (id) => graph.invoke(new Command({ resume: "approve" }), thread(id)),
    settled: async () => {},
    onTool(listener) {
      onTool = listener;
    },
    close: () => saver.end(),
  };
}

/** @param {string} url @returns {Promise<Subject>} */
async function countersignSubject(url) {
  const installation = await install(url);
  const { countersign, engine } = installation;
  /** @type {Map<string, import("countersign").Approval>} */
  const calls = new Map();
  return {
    async propose(id) {
      await installation.say({ id });
      for (const call of await installation.pending()) calls.set(JSON.parse(call.inputJson).id, call);
    },
    async approve(id) {
      const call = calls.get(id);
      if (!call) throw new Error(`${id} does not wait`);
      const { id: approvalId, digest } = call;
      await countersign.decide({ approvalId, principal: finance, type: "approve", digest, reason: null });
    },
    settled: () => engine.idle(),
    onTool: installation.onTool,
    close: installation.close,
  };
}
