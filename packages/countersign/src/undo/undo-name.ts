/** The name by which policies know the undo of a tool's calls. No tool of a model has a name with a dot. */
export function undoName(toolName: string): string {
  return `${toolName}.undo`;
}
