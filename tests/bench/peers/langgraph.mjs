import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";

/** @param {string} url @returns {Promise<import("../peers.bench.mjs").Subject>} */
export default async function langGraphSubject(url) {
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
    async propose(ids) {
      await Promise.all(ids.map((id) => graph.invoke({ id }, thread(id))));
    },
    approve: (id) => graph.invoke(new Command({ resume: "approve" }), thread(id)),
    settled: async () => {},
    onTool(listener) {
      onTool = listener;
    },
    close: () => saver.end(),
  };
}
