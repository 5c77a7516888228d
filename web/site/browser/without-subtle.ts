/** Makes the library for encryption use its own functions where `crypto.subtle` is missing: on pages without HTTPS. */
export function useOwnFunctions(): void {
  if (globalThis.crypto.subtle !== undefined) return;
  // The library recognizes this error.
  const importKey = () => Promise.reject(new DOMException("", "NotSupportedError"));
  Object.defineProperty(globalThis.crypto, "subtle", { value: { importKey } });
}
