/** What is wrong with the `{{field.path}}` placeholders of a template; `undefined` if nothing is. */
export function templateProblem(template: string): string | undefined {
  const paths = [...template.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, path = ""]) => path.trim());
  const left = template.replace(/\{\{[^{}]*\}\}/g, "");
  if (left.includes("{{")) return "has {{ without }} behind it; write {{field}}";
  if (left.includes("}}")) return "has }} without {{ before it; write {{field}}";
  const wrong = paths.find((path) => path.split(".").some((key) => key.trim() === ""));
  if (wrong === undefined) return undefined;
  if (wrong === "") return "has {{}} without a field; write {{field}}";
  return `{{${wrong}}} is not a path; write keys with dots between them, such as {{result.id}}`;
}
