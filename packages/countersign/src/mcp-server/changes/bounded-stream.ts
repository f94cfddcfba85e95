/** Maximum number of messages that a client has not read. One that does not read connects again when it does. */
export const maxUnread = 1000;

/** The same response, whose stream ends when its client no longer reads. The SDK's own streams would grow without end. */
export function endUnread(response: Response): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const forward = async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          controller.enqueue(value);
          if ((controller.desiredSize ?? 0) < -maxUnread) {
            controller.close();
            return reader.cancel();
          }
        }
      };
      forward().catch((error: unknown) => controller.error(error));
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
