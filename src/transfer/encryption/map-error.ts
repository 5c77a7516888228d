/** Passes on the bytes of a stream, and converts its error. */
export function mapError(stream: ReadableStream<Uint8Array>, toError: (error: unknown) => unknown): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(toError(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
