import type { Logger } from "pino";

/**
 * Logs exceptions and rejections that no code handles, and keeps the process running, until it is disposed of. Without it each ends the
 * process, and with it every transfer of everybody (docs/design/uncaught-errors.md).
 */
export function surviveUncaughtErrors(log: Pick<Logger, "error">): Disposable {
  const onException = (error: unknown): void => log.error({ err: toError(error) }, "uncaught exception; the server keeps running");
  const onRejection = (error: unknown): void => log.error({ err: toError(error) }, "unhandled rejection; the server keeps running");
  process.on("uncaughtException", onException);
  process.on("unhandledRejection", onRejection);
  return {
    [Symbol.dispose]() {
      process.off("uncaughtException", onException);
      process.off("unhandledRejection", onRejection);
    },
  };
}

/** Anything can be thrown, and the log shows only the stack of an error. */
const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`A value that is no error was thrown: ${String(thrown)}`);
