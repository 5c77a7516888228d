/** How large a request may be that a proxy in front of the server lets pass. Proxies do not say it: it is found by what they refuse. */
const MB = 1024 * 1024;
/** The least size of parts, and the limit of an nginx that nobody configured. Less is not tried. */
export const MIN_BODY_BYTES = MB;

export interface BodyLimit {
  /** Larger requests were refused; undefined if none was. */
  readonly maxBytes: number | undefined;
  /** Call it when a request of so many bytes was refused. Returns whether a smaller one can be tried. */
  lower(bytes: number): boolean;
}

/** `initial`: what an earlier upload has found. `save` receives what later ones need. */
export function createBodyLimit(initial: number | undefined, save: (maxBytes: number) => void): BodyLimit {
  let maxBytes = initial;
  return {
    get maxBytes() {
      return maxBytes;
    },
    lower(bytes) {
      // Another request has found it meanwhile.
      if (maxBytes !== undefined && maxBytes < bytes) return true;
      if (bytes <= MIN_BODY_BYTES) return false;
      maxBytes = Math.max(MIN_BODY_BYTES, Math.floor(bytes / 4 / MB) * MB);
      save(maxBytes);
      return true;
    },
  };
}
