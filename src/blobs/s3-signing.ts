interface OutgoingRequest {
  readonly protocol: string;
  readonly headers: Record<string, string>;
}

/**
 * What the signature says of the body where nothing else can alter it than the two ends of a TLS connection, and of one that is sent as it
 * comes, before its digest can be known.
 */
export const UNSIGNED = "UNSIGNED-PAYLOAD";

/** Where a command takes `signBody`. */
export const SIGN_BODY = { step: "build", name: "signBody" } as const;

/**
 * Signs a part, or a body that is sent whole, by a digest that is known already, so that a store which looks at it refuses what changed on the
 * way there; without one, over TLS, its bytes are not signed, as the SDK else would by hashing them: half a second of processor time a GB, for
 * what TLS does too.
 */
export const signBody =
  (sha256?: string) =>
  <Args extends { readonly request: unknown }, Result>(next: (args: Args) => Result) =>
  (args: Args): Result => {
    const { protocol, headers } = args.request as OutgoingRequest;
    const digest = sha256 ?? (protocol === "https:" ? UNSIGNED : undefined);
    if (digest !== undefined) headers["x-amz-content-sha256"] = digest;
    return next(args);
  };
