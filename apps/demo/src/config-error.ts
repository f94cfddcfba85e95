/** The demo cannot start as it is set up. `lines` are for people: the variable, what is wrong, what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}
