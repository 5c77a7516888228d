/** An application that may ask accounts for their consent. */
export interface OAuthClientTable {
  id: string;
  client_id: string;
  /** The name that the application gives itself. */
  name: string;
  /** JSON: a list of addresses, of which the account's browser is sent to one. */
  redirect_uris: string;
  /** JSON: a list of names. */
  grant_types: string;
  /** `none`: clients have no secret. */
  token_endpoint_auth_method: string;
  created_at: number;
  /** When an account last consented, or ended its consent. */
  used_at: number;
}

/** What an account allowed an application. */
export interface OAuthConsentTable {
  id: string;
  client_id: string;
  user_id: string;
  /** JSON: a list of scopes. */
  scopes: string;
  /** JSON: a list of addresses that its tokens are for. */
  resources: string | null;
  /** Unused by filehost. */
  requested_user_info_claims: string | null;
  /** Where the browser was sent; null: the code was entered on another device. */
  redirect_uri: string | null;
  created_at: number;
  updated_at: number;
  /** The last request with one of its tokens, exact to an hour. */
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
  /** SHA-256 of the code that it was issued for. */
  authorization_code_id: string | null;
  /** JSON: a list of scopes. */
  scopes: string;
  /** JSON: a list of addresses. */
  resources: string | null;
  created_at: number;
  expires_at: number;
}

/** A token that is replaced with each use. The rows of used ones show a stolen one. */
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
  /** Keyed. */
  device_code: string;
  /** Keyed. */
  user_code: string;
  /** Who decided; null while it waits. */
  user_id: string | null;
  client_id: string;
  /** The client's ID, in the column that the library checks. */
  oauth_client_id: string;
  /** Names, separated by spaces. */
  scope: string;
  /** JSON: a list of addresses. */
  resources: string;
  status: "pending" | "approved" | "denied";
  /** The shortest time between two questions, milliseconds. */
  polling_interval: number;
  last_polled_at: number | null;
  expires_at: number;
}
