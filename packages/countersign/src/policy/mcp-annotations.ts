import type { CompiledRule } from "./compiled-rule.js";
import type { PolicyCall } from "./policy.js";
import { allow, ask, type Verdict } from "./verdict.js";

/**
 * What the annotations of MCP servers mean. They come from the server, so from a stranger: they tighten, and loosen
 * only for servers that the policy names as trusted. By the MCP specification a tool that does not say
 * `destructiveHint: false` is destructive.
 */
export function mcpRule(trustedServers: readonly string[]): CompiledRule {
  const decide = ({ mcp }: PolicyCall): Verdict | undefined => {
    if (!mcp) return undefined;
    const harmless = mcp.readOnlyHint === true || mcp.destructiveHint === false;
    if (!trustedServers.includes(mcp.server)) {
      return harmless
        ? undefined
        : ask({ reason: `The MCP server "${mcp.server}" does not say that this is harmless` });
    }
    if (mcp.readOnlyHint === true) return allow();
    return mcp.destructiveHint === true
      ? ask({ reason: `The MCP server "${mcp.server}" says that this destroys something` })
      : undefined;
  };
  return {
    id: "mcp-annotations",
    layer: "built-in",
    tools: ["*"],
    except: [],
    hints: true,
    says: { how: "code", decide },
  };
}
