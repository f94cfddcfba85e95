/** The step tools that Countersign's own functions use. */
export interface EngineSteps {
  run<T>(id: string, work: () => Promise<T> | T): Promise<unknown>;
  waitForEvent(id: string, options: { event: string; timeout: string; if: string }): Promise<unknown>;
  sleep(id: string, time: string): Promise<void>;
}
