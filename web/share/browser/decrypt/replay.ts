/** A stream that can be read again from its beginning, as long as it keeps its bytes. */
export interface Replay {
  begin(): ReadableStream<Uint8Array>;
  keepNoMore(): void;
  cancel(): Promise<void>;
}

export function createReplay(body: ReadableStream<Uint8Array>): Replay {
  const reader = body.getReader();
  const kept = new Map<number, ReturnType<typeof reader.read>>();
  let isKeeping = true;
  return {
    begin() {
      let index = 0;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const next = kept.get(index) ?? reader.read();
          if (isKeeping) kept.set(index, next);
          else kept.delete(index);
          index += 1;
          const { done, value } = await next;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async (reason) => {
          if (!isKeeping) await reader.cancel(reason);
        },
      });
    },
    keepNoMore() {
      isKeeping = false;
    },
    cancel: () => reader.cancel().catch(() => undefined),
  };
}
