export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Creates a signal that aborts with the first of the given ones, and when it is disposed of. `AbortSignal.any` would keep each signal with a
 * listener, and everything that the listener refers to, for as long as a source exists, which may be until the process ends.
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => {
    for (const source of sources) source?.removeEventListener("abort", abort);
    controller.abort();
  };
  for (const source of sources) source?.addEventListener("abort", abort, { once: true });
  if (sources.some((source) => source?.aborted)) abort();
  return { signal: controller.signal, [Symbol.dispose]: abort };
}
