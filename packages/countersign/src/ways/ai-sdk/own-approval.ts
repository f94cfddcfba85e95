import * as z from "zod";
import type { OwnVerdict } from "../../call/tool/own-verdict.js";
import type { AiCallOptions } from "./ai-tool.js";

/** A call that the AI SDK's own settings judge. */
interface SdkCall {
  toolName: string;
  input: unknown;
  options: AiCallOptions;
}

const kinds = ["not-applicable", "approved", "denied", "user-approval"] as const;

/** What `toolApproval` of `ai` 7 says about a call. */
const statusSchema = z.union([
  z.undefined(),
  z.enum(kinds).transform((type) => ({ type, reason: undefined })),
  z.object({ type: z.enum(kinds), reason: z.string().optional() }),
]);

/**
 * What the AI SDK's settings say about a call, where that is stricter than to let it run. The gate does not loosen
 * anything for them: `approved` means nothing here.
 */
export async function verdictOfSettings(
  call: SdkCall,
  tools: Record<string, { needsApproval?: unknown }>,
  toolApproval: unknown,
): Promise<OwnVerdict | undefined> {
  const status = await statusOf(call, tools, toolApproval);
  if (status?.type === "denied") {
    return { kind: "deny", reason: status.reason ?? "toolApproval of the agent denies this call." };
  }
  if (status?.type === "user-approval") {
    return {
      kind: "ask",
      reason: status.reason ?? "toolApproval of the agent asks for an approval of this call.",
    };
  }
  const asks = await asksItself(call, tools[call.toolName] ?? {});
  return asks
    ? { kind: "ask", reason: "The tool's needsApproval asks for an approval of this call." }
    : undefined;
}

async function statusOf(
  { toolName, input, options }: SdkCall,
  tools: object,
  toolApproval: unknown,
): Promise<z.output<typeof statusSchema>> {
  const { toolCallId, messages = [], context } = options;
  if (typeof toolApproval === "function") {
    const toolCall = { type: "tool-call", toolCallId, toolName, input };
    return statusSchema.parse(
      await toolApproval({ toolCall, tools, messages, toolsContext: {}, runtimeContext: {} }),
    );
  }
  const own: unknown = Object.hasOwn(Object(toolApproval), toolName)
    ? Object(toolApproval)[toolName]
    : undefined;
  if (typeof own !== "function") return statusSchema.parse(own ?? undefined);
  return statusSchema.parse(
    await own(input, { toolCallId, messages, toolContext: context, runtimeContext: {} }),
  );
}

async function asksItself({ input, options }: SdkCall, tool: { needsApproval?: unknown }): Promise<boolean> {
  const { needsApproval } = tool;
  if (typeof needsApproval !== "function") return needsApproval === true;
  return Boolean(await Reflect.apply(needsApproval, tool, [input, { messages: [], ...options }]));
}
