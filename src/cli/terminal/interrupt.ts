const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** A signal ended the command. Its message says how to continue, or is empty. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(
    message = "",
    readonly exitCode: number = EXIT_CODES.SIGINT,
  ) {
    super(message);
  }
}

/**
 * Runs `work`, whose `signal` aborts with Interrupted on the first Ctrl-C or SIGTERM, so that it can save its state. The second one exits
 * immediately. `advice` is a sentence for the person, such as how to resume.
 */
export async function whileInterruptible<T>(advice: () => string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const handlers = (["SIGINT", "SIGTERM"] as const).map((name) => {
    const handle = (): void => {
      if (stop.signal.aborted) process.exit(EXIT_CODES[name]);
      stop.abort(new Interrupted(advice(), EXIT_CODES[name]));
    };
    process.on(name, handle);
    return [name, handle] as const;
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    // Work that failed because of the signal is reported as interrupted.
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    for (const [name, handle] of handlers) process.off(name, handle);
  }
}
