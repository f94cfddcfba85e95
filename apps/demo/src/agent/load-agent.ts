import type { AgentKind } from "../config.js";
import type { SupportAgent } from "./kinds/support-run.js";

/** Loads one agent, with the clients of model providers that it alone needs: they are a fifth of the demo's code. */
export async function loadAgent(kind: AgentKind): Promise<SupportAgent> {
  switch (kind) {
    case "agentkit":
      return (await import("./kinds/agent-kit.js")).agentKitAgent;
    case "loop":
      return (await import("./kinds/loop.js")).loopAgent;
    case "ai-sdk":
      return (await import("./kinds/ai-sdk.js")).aiSdkAgent;
  }
}
