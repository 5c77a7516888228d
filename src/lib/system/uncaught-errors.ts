/** An exception or rejection that no code handles. */
export interface UncaughtError {
  readonly error: Error;
  readonly kind: "uncaught exception" | "unhandled rejection";
}

type Receive = (uncaught: UncaughtError) => void;

/** The receivers, of which only the last one is called. */
const receivers: Receive[] = [];

const onException = (thrown: unknown): void => receivers.at(-1)?.({ error: toError(thrown), kind: "uncaught exception" });
const onRejection = (thrown: unknown): void => receivers.at(-1)?.({ error: toError(thrown), kind: "unhandled rejection" });

/**
 * Passes exceptions and rejections that no code handles to `receive`, until it is disposed of or another receiver temporarily replaces it. Without a
 * receiver, each of them ends the process (docs/design/uncaught-errors.md).
 */
export function receiveUncaughtErrors(receive: Receive): Disposable {
  if (receivers.length === 0) {
    process.on("uncaughtException", onException);
    process.on("unhandledRejection", onRejection);
  }
  receivers.push(receive);
  return {
    [Symbol.dispose]() {
      receivers.splice(receivers.indexOf(receive), 1);
      if (receivers.length > 0) return;
      process.off("uncaughtException", onException);
      process.off("unhandledRejection", onRejection);
    },
  };
}

/** Returns an error, because anything can be thrown and only an error has a stack. */
const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`A value that is no error was thrown: ${String(thrown)}`);
