import type { PolicyCall } from "../policy-call.js";
import type { CompiledRule } from "./compiled-rule.js";
import { allow, ask, type Verdict } from "./verdict.js";

/**
 * The rule for MCP annotations. Servers are untrusted, so annotations tighten; they loosen only for servers that the
 * policy trusts. By the MCP specification, a tool without `destructiveHint: false` is destructive.
 */
export function mcpRule(trustedServers: readonly string[]): CompiledRule {
  const decide = ({ mcp }: PolicyCall): Verdict | undefined => {
    if (!mcp) return undefined;
    const harmless = mcp.readOnlyHint === true || mcp.destructiveHint === false;
    if (!trustedServers.includes(mcp.server)) {
      return harmless
        ? undefined
        : ask({
            reason: `The MCP server "${mcp.server}" does not mark this tool as harmless, and mcp.trustedServers does not name the server`,
          });
    }
    if (mcp.readOnlyHint === true) return allow();
    return mcp.destructiveHint === true
      ? ask({ reason: `The MCP server "${mcp.server}" marks this tool as destructive` })
      : undefined;
  };
  return {
    id: "mcp-annotations",
    layer: "built-in",
    tools: ["*"],
    except: [],
    hints: true,
    effect: { kind: "function", decide },
  };
}
