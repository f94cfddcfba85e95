/** The text of a policy file. */
export interface PolicyText {
  file: string;
  layer: "defaults" | "overrides";
  text: string;
}
