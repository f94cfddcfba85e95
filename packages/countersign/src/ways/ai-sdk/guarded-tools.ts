import { isSameCarried } from "@countersign/policy/internal/shared/canonical-hash";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type * as z from "zod";
import { callIdTwice } from "../../approval/refusal-text.js";
import { currentRun } from "../../call/run/inngest-run.js";
import { mistake } from "../../call/run/mistake.js";
import { durable, idempotent } from "../../call/tool/handler-kind.js";
import { markOf, shareMark } from "../../call/tool/needs-approval.js";
import { judgesItself } from "../../call/tool/own-verdict.js";
import { previewOf } from "../../call/tool/with-preview.js";
import { shareUndo, undoOf } from "../../call/tool/with-undo.js";
import type { Tool } from "../../call/tool.js";
import { noteRefusal } from "../../gate/refusals.js";
import { type GateResult, refused } from "../loop/call-end.js";
import { noteFailure } from "../loop/failures.js";
import type { AnyGateTool, ExecuteOptions } from "../loop/gate-tool.js";
import type { GateCall } from "../loop/read-calls.js";
import { type Gate, type ReviewedCalls, reviewCalls, runOf } from "../loop/review-calls.js";
import { type OwnJudge, reviewable } from "../loop/reviewable-tool.js";
import { saveLater } from "../loop/unsaved-responses.js";
import { type AiCallOptions, type AiTool, lastOf, schemaOf } from "./ai-tool.js";
import { agentKitToolOf } from "./from-agent-kit.js";
import type { GuardToolsOptions } from "./guard-tools-options.js";
import { verdictOfSettings } from "./own-approval.js";
import { type ModelCall, type ModelResponse, responseWith } from "./responses.js";

/** The tools of one agent in one run. */
export class GuardedTools {
  /** Those of one response, by the response. */
  readonly #reviews = new Map<object, Promise<ReviewedCalls>>();
  /** What the AI SDK passed with a call, for the tool's own functions. */
  readonly #options = new Map<string, AiCallOptions>();
  /** How calls ended, by the AI SDK's ids of the calls. */
  readonly #ended = new Map<string, GateResult>();
  /** Calls of one response run one after another: the last of each, by the response. */
  readonly #running = new WeakMap<object, Promise<unknown>>();
  readonly #reviewable = new Map<string, Promise<Tool>>();

  constructor(
    private readonly gate: Gate,
    private readonly tools: Record<string, AiTool>,
    private readonly settings: GuardToolsOptions,
  ) {}

  /**
   * The output of a call, for the AI SDK.
   * @throws Error whose message the model reads, if there is none.
   */
  async call(name: string, input: unknown, options: AiCallOptions): Promise<unknown> {
    const { toolCallId } = options;
    this.#options.set(toolCallId, options);
    const result = await this.#resultOf(name, input, options).catch((error: unknown) => {
      noteFailure(error);
      throw error;
    });
    this.#ended.set(toolCallId, result);
    if (result.status === "executed" || result.status === "responded") return result.output;
    const { name: kind, message } =
      result.status === "failed" ? result.error : { name: "CallNotRun", message: result.content };
    throw Object.assign(new Error(message), { name: kind });
  }

  /** What the model reads of an output: what the tool itself makes of it, and whether a person changed the arguments. */
  async modelOutput(tool: AiTool, options: never): Promise<unknown> {
    const { toolCallId = "", output } = options as { toolCallId?: string; output: unknown };
    const ended = this.#ended.get(toolCallId);
    // A person's answer need not look like the tool's output.
    const given =
      tool.toModelOutput && ended?.status !== "responded"
        ? await Reflect.apply(tool.toModelOutput, tool, [options])
        : typeof output === "string"
          ? { type: "text", value: output }
          : { type: "json", value: output ?? null };
    const note = ended?.status === "executed" ? ended.note : undefined;
    if (note === undefined || !isPlainObject(given)) return given;
    if (given.type === "text") return { ...given, value: `${given.value}\n${note}` };
    if (given.type === "json") return { ...given, value: { data: given.value, note } };
    const { value } = given;
    return Array.isArray(value) ? { ...given, value: [...value, { type: "text", text: note }] } : given;
  }

  async #resultOf(name: string, input: unknown, options: AiCallOptions): Promise<GateResult> {
    const { toolCallId } = options;
    const response = responseWith(toolCallId);
    if (!response) throw notDurable(name);
    const isAlone = ({ id }: Pick<ModelCall, "id">) =>
      response.calls.filter((call) => call.id === id).length === 1;
    if (!isAlone({ id: toolCallId })) return this.#refuseTwin(name, toolCallId);
    const together = response.calls.filter((call) => this.tools[call.name]?.execute && isAlone(call));
    const sent = together.find(({ id }) => id === toolCallId);
    // What something else has changed since is a request of its own.
    const isSent = await this.#isSame(sent, input);
    const calls: readonly GateCall[] = isSent
      ? together
      : [{ id: toolCallId, name, input: await sameOnReplay(toolCallId, input) }];
    const key = isSent ? response : options;
    const reviewed = await this.#reviewed(key, calls, response);
    const position = calls.findIndex(({ id }) => id === toolCallId);
    const before = this.#running.get(key) ?? Promise.resolve();
    const running = before.then(() => reviewed.run(position));
    this.#running.set(
      key,
      running.catch(() => {}),
    );
    return running;
  }

  /** Refuses a call whose id another one of its response has, before anybody is asked about either. */
  async #refuseTwin(name: string, id: string): Promise<GateResult> {
    const { runtime, subject } = this.gate;
    const { step, runId } = await runOf(this.gate, `"${name}"`);
    const refusal = callIdTwice(name, id);
    await step.run(`countersign:refused:${id}`, () =>
      noteRefusal(runtime, { tenantId: subject.tenantId, toolName: name, runId }, refusal),
    );
    return { id, name, ...refused(refusal) };
  }

  #reviewed(key: object, calls: readonly GateCall[], { text }: ModelResponse): Promise<ReviewedCalls> {
    const known = this.#reviews.get(key) ?? this.#review(calls, text);
    this.#reviews.set(key, known);
    return known;
  }

  async #review(calls: readonly GateCall[], text: string): Promise<ReviewedCalls> {
    const names = new Set(calls.map(({ name }) => name));
    const tools = await Promise.all([...names].map((name) => this.#reviewableTool(name)));
    const reviewed = await reviewCalls(this.gate, tools, calls, text);
    saveLater(() => reviewed.save());
    return reviewed;
  }

  /** Whether the arguments are those that the model sent. The AI SDK passes them as the schema parses them. */
  async #isSame(call: ModelCall | undefined, input: unknown): Promise<boolean> {
    if (!call) return false;
    const { parameters } = await this.#reviewableTool(call.name);
    try {
      const sent: unknown = JSON.parse(call.input === "" ? "{}" : call.input);
      if (isSameCarried(sent, input)) return true;
      const parsed = parameters ? await (parameters as unknown as z.ZodType).parseAsync(sent) : sent;
      return agreesWith(sent, parsed, input);
    } catch {
      return false;
    }
  }

  #reviewableTool(name: string): Promise<Tool> {
    const known = this.#reviewable.get(name) ?? this.#gateTool(name);
    this.#reviewable.set(name, known);
    return known;
  }

  async #gateTool(name: string): Promise<Tool> {
    const tool = this.tools[name] ?? {};
    const judge: OwnJudge = async (input, callId) =>
      verdictOfSettings(
        { toolName: name, input, options: this.#optionsOf(callId) },
        this.tools,
        this.settings.toolApproval,
      );
    const ofAgentKit = agentKitToolOf(tool);
    if (!ofAgentKit) return reviewable(await this.#ownTool(name, tool), judge);
    // A copy, since other agents use the tool too.
    const copy = judgesItself({ ...reviewable(ofAgentKit) }, judge);
    if (!undoOf(copy)) shareUndo(copy, tool);
    if (markOf(copy) && markOf(tool)) {
      throw mistake(
        "invalid_option",
        `guardTools(): The tool "${name}": has a mark, and so has its form in AgentKit. Mark one of them.`,
      );
    }
    if (!markOf(copy)) shareMark(copy, tool);
    const { durable: durables = [], idempotent: idempotents = [] } = this.settings;
    if (durables.includes(name)) return durable(copy);
    return idempotents.includes(name) ? idempotent(copy) : copy;
  }

  async #ownTool(name: string, tool: AiTool): Promise<AnyGateTool> {
    const { description, execute } = tool;
    const { durable = [], idempotent = [] } = this.settings;
    const own: AnyGateTool = {
      name,
      ...(typeof description === "string" && { description }),
      inputSchema: await schemaOf(tool.inputSchema),
      // `guardTools` has looked at the source.
      durable: durable.includes(name),
      idempotent: idempotent.includes(name),
      ...previewIn(tool),
      execute: (input: never, { callId }: ExecuteOptions) =>
        lastOf(execute && Reflect.apply(execute, tool, [input, this.#options.get(callId)])),
    };
    shareUndo(own, tool);
    shareMark(own, tool);
    return own;
  }

  /** A call may be judged before the AI SDK starts it. Its response's other calls answer the same messages. */
  #optionsOf(callId: string): AiCallOptions {
    const own = this.#options.get(callId);
    if (own) return own;
    const { context: _, ...others } = [...this.#options.values()].at(-1) ?? {};
    return { ...others, toolCallId: callId };
  }
}

/** The preview of a tool, which `withPreview` gave it or which is beside its `execute`. */
function previewIn(tool: AiTool): Pick<AnyGateTool, "preview"> {
  const preview: unknown = previewOf(tool) ?? Reflect.get(tool, "preview");
  return preview === undefined ? {} : { preview: preview as NonNullable<AnyGateTool["preview"]> };
}

function notDurable(name: string): Error {
  return mistake(
    "invalid_option",
    `guardTools(): "${name}" was called by a model that is not durable: each replay would ask it again, and people for its new calls. Pass the model through durableModel(model, step).`,
  );
}

/** Arguments that something beside the model has made, the same on every replay. */
async function sameOnReplay(callId: string, input: unknown): Promise<unknown> {
  const run = await currentRun();
  return run ? run.step.run(`countersign:arguments:${callId}`, async () => input) : input;
}

/**
 * Whether arguments are what a schema makes of those that a model sent. What the schema adds does not count, since it may be
 * another value each time, such as the present time.
 */
function agreesWith(sent: unknown, parsed: unknown, input: unknown): boolean {
  if (Array.isArray(sent) && Array.isArray(parsed) && Array.isArray(input)) {
    return parsed.length === input.length && parsed.every((one, at) => agreesWith(sent[at], one, input[at]));
  }
  if (!isPlainObject(sent) || !isPlainObject(parsed) || !isPlainObject(input)) {
    return isSameCarried(parsed, input);
  }
  const wasSent = (key: string) => key in sent && key in parsed;
  return (
    Object.keys(input).every((key) => key in parsed) &&
    Object.keys(sent).every((key) => !wasSent(key) || agreesWith(sent[key], parsed[key], input[key]))
  );
}
