/** An application that may ask accounts for their consent. */
export interface OAuthClientTable {
  id: string;
  client_id: string;
  /** The name that the application gives itself. */
  name: string;
  /** A JSON list of URLs, to one of which the account's browser is sent. */
  redirect_uris: string;
  /** A JSON list of names. */
  grant_types: string;
  /** Always `none`, because clients have no secret. */
  token_endpoint_auth_method: string;
  created_at: number;
  /** Time of the last consent of an account, or of its end. */
  used_at: number;
}

/** The consent of an account to an application. */
export interface OAuthConsentTable {
  id: string;
  client_id: string;
  user_id: string;
  /** A JSON list of scopes. */
  scopes: string;
  /** A JSON list of the resources that its tokens are for. */
  resources: string | null;
  /** Unused by filehost. */
  requested_user_info_claims: string | null;
  /** The redirect URI of the browser; null if the code was entered on another device. */
  redirect_uri: string | null;
  created_at: number;
  updated_at: number;
  /** Time of the last request with one of its tokens, to the hour. */
  used_at: number | null;
}

interface OAuthTokenTable {
  id: string;
  /** SHA-256 of the token. */
  token: string;
  client_id: string;
  user_id: string;
  /** The session in which the account consented. It may have ended. */
  session_id: string | null;
  /** The SHA-256 of the code that the token was issued for. */
  authorization_code_id: string | null;
  /** A JSON list of scopes. */
  scopes: string;
  /** A JSON list of resources. */
  resources: string | null;
  created_at: number;
  expires_at: number;
}

/** A token that is replaced at each use. The rows of used tokens reveal a stolen one. */
export interface OAuthRefreshTokenTable extends OAuthTokenTable {
  auth_time: number | null;
  revoked: number | null;
  rotated_at: number | null;
}

/** A token that requests are sent with. */
export interface OAuthAccessTokenTable extends OAuthTokenTable {
  refresh_id: string | null;
}

/** A program on another device that waits for an account's consent; deleted when it gets its tokens. */
export interface DeviceCodeTable {
  id: string;
  /** The keyed hash of the device's code. */
  device_code: string;
  /** The keyed hash of the person's code. */
  user_code: string;
  /** The person who decided; null while it waits. */
  user_id: string | null;
  client_id: string;
  /** The client's ID, in the column that the library checks. */
  oauth_client_id: string;
  /** Names of scopes, separated by spaces. */
  scope: string;
  /** A JSON list of resources. */
  resources: string;
  status: "pending" | "approved" | "denied";
  /** Minimum time between two polls, in milliseconds. */
  polling_interval: number;
  last_polled_at: number | null;
  expires_at: number;
}
