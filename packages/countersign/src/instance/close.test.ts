import { expect, it, vi } from "vitest";
import { createClose } from "./close.js";

/** An instance with a handler that runs until it is told to end. */
function running() {
  let endHandler = () => {};
  const inFlight = new Map<string, Promise<unknown>>();
  const handler = new Promise<void>((resolve) => {
    endHandler = resolve;
  }).then(() => inFlight.delete("apr_1"));
  inFlight.set("apr_1", handler);
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const store = { close: vi.fn(async () => {}) };
  const begin = vi.fn();
  const sending = new Set<Promise<unknown>>();
  const close = createClose({ inFlight, sending, store, logger }, begin);
  return { close, begin, endHandler, sending, logger, store };
}

it("closes the store after the handlers and after what it is given, once", async () => {
  const { close, begin, endHandler, logger, store } = running();
  let endServer = () => {};
  const after = new Promise<void>((resolve) => {
    endServer = resolve;
  });
  const closed = close({ after });
  expect(begin).toHaveBeenCalled();
  endHandler();
  await Promise.resolve();
  expect(store.close).not.toHaveBeenCalled();
  endServer();
  await Promise.all([closed, close()]);
  expect(store.close).toHaveBeenCalledTimes(1);
  expect(logger.warn).not.toHaveBeenCalled();
});

it("closes the store after the events that the last handlers caused", async () => {
  const { close, endHandler, sending, store } = running();
  let endSending = () => {};
  const sent: Promise<unknown> = new Promise<void>((resolve) => {
    endSending = resolve;
  }).then(() => sending.delete(sent));
  const after = Promise.resolve().then(() => sending.add(sent));
  const closed = close({ after });
  endHandler();
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.close).not.toHaveBeenCalled();
  endSending();
  await closed;
  expect(store.close).toHaveBeenCalledTimes(1);
});

it("a server that fails to close neither ends the process nor keeps the store open", async () => {
  const { close, endHandler, logger, store } = running();
  const closed = close({ after: Promise.reject(new Error("ERR_SERVER_NOT_RUNNING")) });
  // Nobody may have to handle the rejection while a handler runs.
  await new Promise((resolve) => setImmediate(resolve));
  endHandler();
  await closed;
  expect(store.close).toHaveBeenCalledTimes(1);
  expect(logger.warn).toHaveBeenCalledWith(expect.stringContaining("has not ended well"), expect.anything());
});

it("names a wrong time at once", () => {
  expect(() => running().close({ timeout: "soon" })).toThrow('timeout: must be a duration, such as "25s"');
});
