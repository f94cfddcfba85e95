import type { McpFacts } from "@countersign/policy/internal/policy/policy-call";
import type { SafetyCheck } from "@countersign/policy/internal/safety-checks/safety-check";
import { fieldProblems, problemText } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { final, mistake } from "../../call/run/mistake.js";
import { approvalOf, durable, idempotent } from "../../call/tool/handler-kind.js";
import { shareMark } from "../../call/tool/needs-approval.js";
import { judgesItself, type OwnVerdict } from "../../call/tool/own-verdict.js";
import { assertJsonSchema } from "../../call/tool/tool-schema.js";
import { withChecks } from "../../call/tool/with-checks.js";
import { previewOf, withPreview } from "../../call/tool/with-preview.js";
import { shareUndo } from "../../call/tool/with-undo.js";
import type { Tool } from "../../call/tool.js";
import type { Preview } from "../../previews/preview.js";
import type { AnyGateTool, ExecuteOptions } from "./gate-tool.js";
import { type GateInputSchema, zodOf } from "./input-schema.js";
import { stepToolIn } from "./step-tool-in.js";

const callIdKey = Symbol("call id");

/** The options of a handler, from which its tool finds the id of its call. */
export function withCallId<T extends object>(options: T, id: string): T {
  return Object.assign(options, { [callIdKey]: id });
}

const known = new WeakMap<AnyGateTool | Tool, Tool>();

/** Whether a tool asks or denies by itself, from the arguments as its schema parses them. */
export type OwnJudge = (input: unknown, callId: string) => Promise<OwnVerdict | undefined>;

/**
 * The tool as the gate reviews and runs it.
 *
 * @param judge Judges its calls in place of `needsApproval`.
 * @throws CountersignError `invalid_option`, naming the tool and the fix.
 */
export function reviewable(given: AnyGateTool | Tool, judge = judgeOf(given)): Tool {
  const before = known.get(given);
  if (before) return before;
  if (isOfAgentKit(given)) return offered(given);
  assertTool(given);
  const { name, execute } = given;
  const parameters = parametersOf(given);
  const tool: Tool = {
    name,
    ...(given.description !== undefined && { description: given.description }),
    parameters: parameters as unknown as NonNullable<Tool["parameters"]>,
    ...(given.mcp && { mcp: mcpOf({ tool: name, ...given.mcp }, parameters) }),
    handler: async (input: unknown, options) => {
      const approval = approvalOf(options);
      const callId = String(Reflect.get(options, callIdKey) ?? "");
      const own: ExecuteOptions = { callId, ...(approval && { approval }) };
      return Reflect.apply(execute, given, [await parameters.parseAsync(input), own]);
    },
  };
  offered(tool);
  shareUndo(tool, given);
  shareMark(tool, given);
  try {
    if (given.checks) withChecks(tool, given.checks as readonly SafetyCheck[] as never);
  } catch (error) {
    throw final(error);
  }
  const preview = (given.preview ?? previewOf(given)) as Preview | undefined;
  if (preview) {
    withPreview<object>(tool, async (input: unknown, context) =>
      Reflect.apply(preview, given, [await parameters.parseAsync(input), context]),
    );
  }
  if (given.durable) durable(tool);
  else if (given.idempotent) idempotent(tool);
  if (judge) judgesItself(tool, async (input, id) => judge(await parameters.parseAsync(input), id));
  known.set(given, tool);
  return tool;
}

/** Whether a tool has been made for AgentKit, by `createTool` or an MCP client. */
function isOfAgentKit(tool: AnyGateTool | Tool): tool is Tool {
  return typeof Object(tool).handler === "function" && typeof Object(tool).name === "string";
}

/** @throws CountersignError `invalid_option` if the tool's schema cannot be offered to a model. */
function offered(tool: Tool): Tool {
  try {
    assertJsonSchema(tool);
    return tool;
  } catch (error) {
    throw final(error);
  }
}

function judgeOf(tool: object): OwnJudge | undefined {
  const needsApproval: unknown = Object(tool).needsApproval;
  if (needsApproval === true) return async () => asksByItself;
  if (typeof needsApproval !== "function") return undefined;
  return async (input) => ((await Reflect.apply(needsApproval, tool, [input])) ? asksByItself : undefined);
}

const asksByItself: OwnVerdict = {
  kind: "ask",
  reason: "The tool's needsApproval asks for an approval of this call.",
};

const functionSchema = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);

const toolSchema = z.object({
  name: z.string().min(1, "must be the name by which the model calls the tool"),
  description: z.string().optional(),
  inputSchema: z.custom<GateInputSchema>(
    (schema) => typeof schema === "function" || (typeof schema === "object" && schema !== null),
    "is missing. Give a Zod schema, another Standard Schema or a JSON Schema, and z.object({}) for a tool without arguments",
  ),
  execute: functionSchema,
  durable: z.boolean().optional(),
  idempotent: z.boolean().optional(),
  preview: functionSchema.optional(),
  undo: functionSchema.optional(),
  needsApproval: z.union([z.boolean(), functionSchema], "must be true, false or a function").optional(),
  mcp: z
    .object({
      server: z.string().min(1),
      tool: z.string().min(1).optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
    })
    .optional(),
});

function assertTool(given: AnyGateTool): void {
  const { error } = toolSchema.safeParse(given);
  const name = String(Object(given).name ?? "");
  if (error) throw wrongTool(name, problemText(fieldProblems(error)));
  if (given.durable && given.idempotent) {
    throw wrongTool(
      name,
      "durable and idempotent exclude each other. A durable tool continues after its last step; remove idempotent",
    );
  }
  const rehearsing = given.preview && stepToolIn(given.preview);
  if (rehearsing) {
    throw wrongTool(
      name,
      `preview calls ${rehearsing}, but it runs inside a step and must change nothing. Remove it`,
    );
  }
  const stepTool = given.durable === undefined ? stepToolIn(given.execute) : undefined;
  if (stepTool) {
    throw wrongTool(
      name,
      `execute calls ${stepTool}, but it runs inside a step, and steps cannot be nested. Add durable: true, so that it runs in the function's body (or durable: false, if this is not Inngest's step)`,
    );
  }
}

function parametersOf({ name, inputSchema }: AnyGateTool): z.ZodType {
  try {
    return zodOf(inputSchema);
  } catch (error) {
    throw wrongTool(name, `inputSchema ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** As AgentKit describes a tool of an MCP server. */
function mcpOf({ server, tool: name, ...annotations }: McpFacts, parameters: z.ZodType): ToolOfServer {
  const inputSchema = z.toJSONSchema(parameters, { io: "input", unrepresentable: "any" });
  return { server: { name: server }, tool: { name, inputSchema, annotations } } as unknown as ToolOfServer;
}

type ToolOfServer = NonNullable<Tool["mcp"]>;

function wrongTool(name: string, problem: string): Error {
  return mistake("invalid_option", `The tool "${name}": ${problem}.`);
}
