/** Adds parts to what a test uses. Its disposal then also disposes of `resources`, in this order and after itself. */
export function withParts<Base extends AsyncDisposable, Parts extends object>(
  base: Base,
  parts: Parts,
  ...resources: readonly AsyncDisposable[]
): Base & Parts {
  const dispose = base[Symbol.asyncDispose].bind(base);
  return Object.assign(base, parts, {
    async [Symbol.asyncDispose]() {
      await dispose();
      for (const resource of resources) await resource[Symbol.asyncDispose]();
    },
  });
}
