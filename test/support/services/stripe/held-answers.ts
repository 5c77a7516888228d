/** A response that is delayed until it is released. */
export interface HeldAnswer {
  /** Resolves when the request had its effect and its response is delayed. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Creates delays of responses, whose content is from the time of their requests. */
export function createHeldAnswers() {
  const waiting: { readonly path: RegExp; reach(): void; readonly released: Promise<void> }[] = [];
  return {
    /** Delays the response to the next request whose path matches. */
    hold(path: RegExp): HeldAnswer {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      waiting.push({ path, reach: reached.resolve, released: released.promise });
      return { reached: reached.promise, release: released.resolve };
    },
    /** Waits if the response to this request is delayed. */
    async pass(path: string): Promise<void> {
      const index = waiting.findIndex((held) => held.path.test(path));
      const [held] = index < 0 ? [] : waiting.splice(index, 1);
      held?.reach();
      await held?.released;
    },
  };
}
