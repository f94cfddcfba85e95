import type { Desk } from "../desk.js";
import type { Probe } from "./probe.js";

/** A scenario that needs no demo, only the probe. */
export interface ProbeScenario {
  name: string;
  expects: string;
  play(probe: Probe): Promise<void>;
}

/** The same as a scenario like those of the demo. */
export const withProbe = ({ play, ...scenario }: ProbeScenario) => ({
  ...scenario,
  skip: ({ probe }: Desk) => (probe ? undefined : "there is no probe"),
  async play({ probe }: Desk) {
    if (!probe) throw new Error("There is no probe");
    await play(probe);
  },
});
