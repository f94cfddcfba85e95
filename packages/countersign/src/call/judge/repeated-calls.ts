import { isSameCarried } from "@countersign/policy/internal/shared/canonical-hash";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";
import type { Approval } from "../../approval/approval.js";
import type { InngestRun } from "../run/inngest-run.js";
import { namesInRun, untilNamed } from "../run/name-in-run.js";
import type { ReviewRuntime } from "../run/runtime.js";
import { requestIdsOf } from "./request-id.js";
import type { ProposeInput } from "./review-call.js";
import type { ProposedToolCall } from "./tool-calls.js";

/** Milliseconds in which other parts of the function may still arrive at what they have proposed before. */
const patienceMs = 5_000;

/** The calls of a response are proposed by this step. */
export const proposeStep = (name: string) => `countersign:propose:${name}`;

/** The part of that step's output that names the calls, and what `problemOfRows` said. */
const proposedCalls = z.object({
  requestId: z.string(),
  callIds: z.array(z.string()),
  problem: z.string().optional(),
});

type Proposing = Pick<ProposeInput, "runId" | "subject" | "agentName" | "calls">;

/**
 * Finds out that a run is about to propose a call which an earlier replay has proposed under another name. People would be
 * asked again, and a call that was denied could run.
 *
 * Models may give an id again in a later response, so the id alone says nothing. But each execution starts at the beginning
 * of the function. Before it arrives at a later response, it arrives at the earlier one, and names it. So an earlier request
 * with the same id that this execution has not named is not an earlier response: it is this one. Only where parts of a function
 * run side by side may it be the response of another part that has not arrived yet, so this waits for them for a while.
 *
 * It reads the outputs that the run has not arrived at. Where there are none, it waits for nothing, since Inngest ends a
 * request in which a part of the function waits for anything but steps while another part waits for a step.
 *
 * @returns what is wrong, and what to do about it
 */
export function problemOfReplay(
  runtime: ReviewRuntime,
  run: InngestRun,
  input: Proposing,
): Promise<string | undefined> | undefined {
  const ids = input.calls.map(({ tool }) => tool.id);
  const unnamed = () =>
    run
      .unseenOutputs(namesInRun(run.execution).map(proposeStep))
      .flatMap((output) => proposedCalls.safeParse(output).data ?? [])
      .filter(({ callIds }) => callIds.some((id) => ids.includes(id)));
  if (unnamed().length === 0) return undefined;
  // An earlier replay has found out, and ended with the step.
  const known = unnamed().find((output) => output.problem !== undefined);
  if (known) return Promise.resolve(known.problem);
  return untilNamed(run.execution, () => unnamed().length === 0, patienceMs).then(async (isNamed) => {
    if (isNamed) return undefined;
    const earlier = await Promise.all(unnamed().map(({ requestId }) => runtime.store.approvalsOf(requestId)));
    return problem(input, earlier.flat());
  });
}

/**
 * The same from the rows, for a proposal whose step's output was lost. While another part of the function waits for a step,
 * a row may be newer than what the engine has sent with this request: that part may have proposed it in another request.
 */
export async function problemOfRows(
  runtime: ReviewRuntime,
  run: InngestRun,
  input: Proposing & Pick<ProposeInput, "key">,
  earlier: readonly Approval[],
): Promise<string | undefined> {
  const { execution } = run;
  const isAlone = () => !run.hasStepsInFlight(proposeStep(input.key));
  if (!isAlone()) return undefined;
  const idOf = await requestIdsOf(runtime, input.runId);
  // Another agent may run beside this one without a step of its own at the moment.
  const own = earlier.filter(({ agentName }) => agentName === input.agentName);
  const unnamed = () => {
    const ids = new Set(namesInRun(execution).map(idOf));
    return own.filter(({ requestId }) => !ids.has(requestId));
  };
  if (await untilNamed(execution, () => unnamed().length === 0, patienceMs)) return undefined;
  return isAlone() ? problem(input, unnamed()) : undefined;
}

/** What may differ between two proposals of a call, and what a developer does about it. */
const cures = {
  thread: "create the thread in step.run(), or leave it to a history that countersign.guard() can see",
  requester: "take the requester from the event that started the run",
  agent: "give the agent the same name on each replay",
  tool: "call the same tool on each replay",
  arguments: "make values such as the present time or a random id in step.run()",
  response: "take the model's whole response from one step, and pass its calls in their order",
};

type Place = keyof typeof cures;

function problem({ calls, subject, agentName }: Proposing, earlier: readonly Approval[]): string {
  const before = earlier.find(({ toolCallId }) => calls.some(({ tool }) => isOf(tool, toolCallId)));
  const call = calls.find(({ tool }) => before && isOf(tool, before.toolCallId)) ?? calls[0];
  const places = before && call ? differences(before, call, { subject, agentName }) : [];
  const differing: Place[] = places.length > 0 ? places : ["response"];
  const advice = differing.map((place) => cures[place]).join("; ");
  return `The call "${call?.tool.id}" of ${call?.tool.name} was proposed before in this run, and this replay of the run proposes it as another call (what differs: ${differing.join(", ")}). Nobody was asked again, and it did not run. Something is made outside of a step, and so anew on each replay: ${advice}.`;
}

const isOf = ({ id }: { id: string }, toolCallId: string) => storableText(id) === toolCallId;

function differences(
  before: Approval,
  { tool }: ProposedToolCall,
  { subject, agentName }: Pick<Proposing, "subject" | "agentName">,
): Place[] {
  const isSame: Partial<Record<Place, boolean>> = {
    thread: before.threadId === subject.threadId,
    requester: before.requesterId === (subject.requester?.id ?? null),
    agent: before.agentName === agentName,
    tool: before.toolName === tool.name,
    arguments: isSameCarried(JSON.parse(before.inputJson), tool.input),
  };
  return (Object.keys(isSame) as Place[]).filter((place) => !isSame[place]);
}
