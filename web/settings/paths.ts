/** Paths of the settings' pages and forms. */
export const PROFILE_PATH = "/settings";
export const EMAIL_PATH = "/settings/email";
export const SECURITY_PATH = "/settings/security";
export const NOTICE_SETTINGS_PATH = "/settings/notices";
export const SESSIONS_PATH = "/settings/security/sessions";
export const PASSWORD_PATH = "/settings/security/password";
export const KEYS_PATH = "/settings/keys";
export const TWO_STEP_PATH = "/settings/security/two-step";
export const PASSKEYS_PATH = "/settings/security/passkeys";
export const DELETE_ACCOUNT_PATH = "/settings/delete";
export const WEBHOOKS_PATH = "/settings/webhooks";
export const webhookPath = (id: string): string => `${WEBHOOKS_PATH}/${encodeURIComponent(id)}`;
export const SELLING_PATH = "/settings/selling";
export const USAGE_PATH = "/settings/usage";
export const CLAIM_PATH = "/settings/claim";
export const CONNECT_PATH = "/settings/security/connect";
export const APPLICATIONS_PATH = "/settings/security/applications";
export const DISCONNECT_PATH = "/settings/security/disconnect";
