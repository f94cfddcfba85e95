/** The tool of the agent that `init` writes. */
export const sampleTool = "issue_refund";

const onlyReads = /^(get|list|look_?[uU]p|search|find|read)(?![a-z])/;

/** Tools whose names say that they read are allowed, and people are asked about all others. */
export const isAsked = (tool: string): boolean => !onlyReads.test(tool);

/** What people read of the sample's calls. */
const sampleWords = "label: Refund, names: { orderId: Order, amount: Amount }";

/** A rule for each of the tools, or one for all if none is known by its name. */
export function policyFile(tools: readonly string[]): string {
  const isSample = tools.length === 1 && tools[0] === sampleTool;
  const asked = tools.length > 0 ? tools.filter(isAsked) : ["*"];
  const rules = [
    { names: tools.filter((tool) => !isAsked(tool)), verdict: "allow" },
    { names: asked, verdict: `ask, ${isSample ? `${sampleWords}, ` : ""}approvers: { roles: [approver] }` },
  ].flatMap(({ names, verdict }) =>
    names.length > 0 ? [`  - { tools: ${JSON.stringify(names)}, verdict: ${verdict} }\n`] : [],
  );
  return `# Which tool calls run, need approval, or are denied. Check this file with: npx countersign policy check policy.yaml
# The strictest matching rule wins. A tool that matches no rule is denied.
# People read a rule's label and names in place of the names in code: ${sampleWords}
version: 1
rules:
${rules.join("")}`;
}
