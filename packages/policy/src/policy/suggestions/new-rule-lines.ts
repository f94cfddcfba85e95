import { Document, isCollection, isMap } from "yaml";

/** A rule as an item of a YAML list: a comment, and one line for each field. */
export function newRuleLines(rule: Readonly<Record<string, unknown>>, comment: string): string[] {
  const document = new Document(rule);
  if (isMap(document.contents)) {
    for (const { value } of document.contents.items) if (isCollection(value)) value.flow = true;
  }
  const lines = document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd().split("\n");
  return [`# ${comment}`, ...lines.map((line, index) => (index === 0 ? "- " : "  ") + line)];
}
