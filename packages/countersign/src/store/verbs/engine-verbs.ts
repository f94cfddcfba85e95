import { nameSecret } from "../migrations/installation.js";
import type { EnginePort } from "../ports/engine-port.js";
import * as lost from "../request/lost-runs.js";
import type { Scopes } from "../scopes.js";

/** Watches the engine for lost runs. */
export function engineVerbs({ asSystem, reading }: Scopes): EnginePort {
  let secret: Promise<string> | undefined;
  return {
    nameSecret: () => {
      secret ??= asSystem(nameSecret).catch((error: unknown) => {
        secret = undefined;
        throw error;
      });
      return secret;
    },
    watchEngine: (appId) => asSystem((tx) => lost.watchEngine(tx, appId)),
    recordAnswer: (appId, canaryId) => asSystem((tx) => lost.recordAnswer(tx, appId, canaryId)),
    replaceCanary: (appId, old, successor) => asSystem((tx) => lost.replaceCanary(tx, appId, old, successor)),
    forgetCanaries: () => asSystem(lost.forgetCanaries),
    probeRuns: (...suspects) => asSystem((tx) => lost.probeRuns(tx, ...suspects)),
    lostRuns: (...suspects) => reading.asSystem((tx) => lost.lostRuns(tx, ...suspects)),
    recordLost: (appId, count) => asSystem((tx) => lost.recordLost(tx, appId, count)),
    engineHealth: () => reading.asSystem(lost.engineHealth),
  };
}
