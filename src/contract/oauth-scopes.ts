/** The scopes that an application may request, from narrow to wide: each includes those before it (oauth, "Scopes"). */
export const OAUTH_SCOPES = ["files.read", "files.write", "account"] as const;

export type OAuthScope = (typeof OAUTH_SCOPES)[number];
