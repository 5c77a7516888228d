/** A comment that is sent first: the runtime sends a response's headers with the first bytes of its body, and the first event may take minutes. */
const COMMENT = new TextEncoder().encode(":\n\n");

/**
 * Returns a response with a stream of events that calls `done` once its body has been sent or has failed, or its client has disconnected. Calls it
 * immediately for a response without a body.
 */
export function whenSent(response: Response, done: () => void): Response {
  const { body } = response;
  if (body === null) {
    done();
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(COMMENT),
    async pull(controller) {
      try {
        const { done: isDone, value } = await reader.read();
        if (!isDone) return controller.enqueue(value);
        done();
        controller.close();
      } catch (error) {
        done();
        controller.error(error);
      }
    },
    async cancel(reason) {
      done();
      await reader.cancel(reason);
    },
  });
  return new Response(watched, { status: response.status, headers: response.headers });
}
