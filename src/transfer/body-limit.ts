/** The largest request that a proxy in front of the server forwards. Proxies do not announce it, so it is found by their refusals. */
const MB = 1024 * 1024;
/** The smallest size of parts, which is the default limit of nginx. Smaller requests are not tried. */
export const MIN_BODY_BYTES = MB;

export interface BodyLimit {
  /** The size above which requests were refused; undefined if none was. */
  readonly maxBytes: number | undefined;
  /** Lowers the limit after a request of this size was refused. Returns whether a smaller one can be tried. */
  lower(bytes: number): boolean;
}

/** Creates the limit. `initial` is the limit that an earlier upload found; `save` receives the limit for later ones. */
export function createBodyLimit(initial: number | undefined, save: (maxBytes: number) => void): BodyLimit {
  let maxBytes = initial;
  return {
    get maxBytes() {
      return maxBytes;
    },
    lower(bytes) {
      // Another request has lowered the limit meanwhile.
      if (maxBytes !== undefined && maxBytes < bytes) return true;
      if (bytes <= MIN_BODY_BYTES) return false;
      maxBytes = Math.max(MIN_BODY_BYTES, Math.floor(bytes / 4 / MB) * MB);
      save(maxBytes);
      return true;
    },
  };
}
