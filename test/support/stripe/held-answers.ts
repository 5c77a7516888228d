/** An answer that is under way, until it is released. */
export interface HeldAnswer {
  /** Resolves when the request had its effect and its answer is held. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Holds answers back: they say what was true when they were asked for. */
export function createHeldAnswers() {
  const waiting: { readonly path: RegExp; reach(): void; readonly released: Promise<void> }[] = [];
  return {
    /** The answer to the next request whose path fits. */
    hold(path: RegExp): HeldAnswer {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      waiting.push({ path, reach: reached.resolve, released: released.promise });
      return { reached: reached.promise, release: released.resolve };
    },
    /** Waits if the answer to this request is to be held. */
    async pass(path: string): Promise<void> {
      const index = waiting.findIndex((held) => held.path.test(path));
      const [held] = index < 0 ? [] : waiting.splice(index, 1);
      held?.reach();
      await held?.released;
    },
  };
}
