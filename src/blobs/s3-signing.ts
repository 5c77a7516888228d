import type { UploadPartCommand } from "@aws-sdk/client-s3";

interface OutgoingRequest {
  readonly protocol: string;
  readonly headers: Record<string, string>;
}

/** What the signature says of the body where nothing else can alter it than the two ends of a TLS connection. */
const UNSIGNED = "UNSIGNED-PAYLOAD";

/**
 * Signs a part by a digest that is known already, so that a store which looks at it refuses what changed on the way there; without one, over
 * TLS, its bytes are not signed, as the SDK else would by hashing them: half a second of processor time a GB, for what TLS does too.
 */
export function signBody(command: UploadPartCommand, sha256?: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      const { protocol, headers } = args.request as OutgoingRequest;
      const digest = sha256 ?? (protocol === "https:" ? UNSIGNED : undefined);
      if (digest !== undefined) headers["x-amz-content-sha256"] = digest;
      return next(args);
    },
    { step: "build", name: "signBody" },
  );
}
