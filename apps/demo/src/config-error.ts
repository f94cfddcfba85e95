/** The configuration is invalid. Each of `lines` names a variable, the problem and the fix. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}
