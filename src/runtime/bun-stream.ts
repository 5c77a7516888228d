/** What Bun gives a stream of its type `direct` to write to: the socket, more or less. */
interface DirectController {
  /** Copies what the socket does not take at once. */
  write(chunk: Uint8Array): number;
  /** With `true`, resolves when the socket wants more, or is gone. */
  flush(wait: boolean): Promise<number> | number;
  close(): void;
}

/** A body that goes from `chunks` to the socket without a queue between them: a queue would hold on to chunks that have been sent. */
export function streamBody(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let hasBegun = false;
  // Of a client that leaves before the first chunk, Bun tells no stream of this type.
  const leave = (): void => {
    if (!hasBegun) void iterator.return?.();
  };
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  const source = {
    type: "direct",
    async pull(controller: DirectController): Promise<void> {
      hasBegun = true;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        controller.write(next.value);
        await controller.flush(true);
        if (signal.aborted) return void (await iterator.return?.());
      }
      controller.close();
    },
  };
  return new ReadableStream(source as unknown as UnderlyingDefaultSource<Uint8Array>);
}
