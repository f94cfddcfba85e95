/** The tool of the agent that `init` writes. */
export const sampleTool = "issue_refund";

const onlyReads = /^(get|list|look_?[uU]p|search|find|read)(?![a-z])/;

/** Tools whose names say that they read are allowed, and people are asked about all others. */
export const isAsked = (tool: string): boolean => !onlyReads.test(tool);

/** A rule for each of the tools, or one for all if none is known by its name. */
export function policyFile(tools: readonly string[]): string {
  const asked = tools.length > 0 ? tools.filter(isAsked) : ["*"];
  const rules = [
    { names: tools.filter((tool) => !isAsked(tool)), verdict: "allow" },
    { names: asked, verdict: "ask, approvers: { roles: [approver] }" },
  ].flatMap(({ names, verdict }) =>
    names.length > 0 ? [`  - { tools: ${JSON.stringify(names)}, verdict: ${verdict} }\n`] : [],
  );
  return `# Which tool calls run, need approval, or are denied. Check this file with: npx countersign policy check policy.yaml
# The strictest matching rule wins. A tool that matches no rule is denied.
version: 1
rules:
${rules.join("")}`;
}
