/**
 * The CEL condition that a wake-up must meet: the engine compares its token with the one of the request that
 * waits. JSON's quoting is valid in CEL.
 */
export function wakeUpCondition(requestId: string, token: string): string {
  return `async.data.requestId == ${JSON.stringify(requestId)} && async.data.token == ${JSON.stringify(token)}`;
}
