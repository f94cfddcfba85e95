/** Maximum number of messages that a client has not read. A slow client is disconnected and connects again later. */
export const maxUnread = 1000;

/**
 * The same response, but its stream ends when the client no longer reads. The SDK's own streams would buffer without
 * limit.
 */
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
