/** The tool version of calls of programs outside of AgentKit, whose tools Countersign does not know. */
export const externalToolVersion = "external-call";
