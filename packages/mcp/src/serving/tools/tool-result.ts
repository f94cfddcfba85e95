import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/server";

/** A result as structured data and, for clients that only read texts, as the same JSON in a text. */
export function jsonResult(value: Record<string, unknown>, says?: string): CallToolResult {
  const json: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(value) }];
  return {
    content: says === undefined ? json : [{ type: "text", text: says }, ...json],
    structuredContent: value,
  };
}

/** Turns the errors of a tool into results that the client's model can read. Unexpected ones reveal nothing. */
export function withErrorsAsResults<Args extends unknown[], Result>(
  logger: Logger,
  tool: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result | CallToolResult> {
  return async (...args) => {
    try {
      return await tool(...args);
    } catch (error) {
      if (error instanceof UrlElicitationRequiredError) throw error;
      const known = CountersignError.isInstance(error);
      if (!known) logger.error("Unexpected error in the MCP server", { error: nameOfThrown(error) });
      const code = known ? error.code : "internal";
      const message = known ? error.message : "Nothing was decided. Try again later";
      return {
        isError: true,
        content: [{ type: "text", text: message }],
        structuredContent: { error: { code, message } },
      };
    }
  };
}
