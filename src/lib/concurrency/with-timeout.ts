/**
 * Settles as `promise` does or, after `timeoutMs`, with the result or error of `onTimeout`, which is never called after `promise` has settled. The
 * work behind `promise` is not cancelled.
 */
export function withTimeout<T, R>(promise: PromiseLike<T>, timeoutMs: number, onTimeout: () => R): Promise<T | R> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    }, timeoutMs);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
