import { quotedValue } from "@countersign/policy/display";
import type { Approval } from "../api/approval.js";
import { FilledText } from "../components/filled-text.js";
import { ToolName } from "../components/tool-name.js";
import { isQuestion } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

/** The call's tool and server, the agent that made it, and the person for whom. */
export function Origin({ approval }: { approval: Approval }) {
  const { mcpServer, agentName, requesterId, undoes } = approval;
  const server = isQuestion(approval) ? null : mcpServer;
  const text = words.detail.origin({
    server: Boolean(server),
    agent: Boolean(agentName),
    requester: Boolean(requesterId),
    isUndo: undoes !== null,
  });
  const parts = {
    tool: <ToolName call={approval} />,
    server: server && quotedValue(server, words.display),
    agent: agentName,
    requester: requesterId,
  };
  return <FilledText text={text} parts={parts} />;
}
