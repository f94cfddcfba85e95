import * as z from "zod";
import { readTranscript } from "./transcript.js";

/** The functions that the first recorded app registered. */
export function readRegisteredFunctions(): unknown[] {
  const registration = readTranscript("sdk-to-server").find(({ request }) => request.url === "/fn/register");
  return z.object({ functions: z.array(z.unknown()) }).parse(registration?.request.body).functions;
}

/** A function of the second recorded app, whose registration was not recorded. */
export function describeFunction(id: string, event: string): unknown {
  return {
    id: `probe2-${id}`,
    name: id,
    triggers: [{ event }],
    steps: {
      step: {
        id: "step",
        name: "step",
        runtime: { type: "http", url: `http://app.invalid/api/inngest?fnId=probe2-${id}&stepId=step` },
      },
    },
  };
}
