/** The error codes of the protocol (RFC 6749, 5.2; RFC 7591, 3.2.2; RFC 8707, 2), which OAuth endpoints send in place of filehost's. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unsupported_grant_type";

/** A refusal at an endpoint of OAuth, with a sentence for the developer of the client. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";

  constructor(
    readonly code: OAuthErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** The response of an OAuth endpoint. */
export interface OAuthResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
