/** Paths of the pages of accounts. */
export const SIGN_IN_PATH = "/signin";
export const SIGN_IN_CODE_PATH = "/signin/code";
export const SIGN_UP_PATH = "/signup";
export const PROVE_PATH = "/prove";
export const SIGN_OUT_PATH = "/signout";
export const FORGOT_PATH = "/forgot";
export const VERIFY_PATH = "/verify";
export const PASSKEY_SIGN_IN_PATH = "/signin/passkey";
export const PASSKEY_PROOF_PATH = "/prove/passkey";
export const PROVIDER_PATH = "/signin/oidc";
/** The redirect URI of OpenID Connect. */
export const PROVIDER_CALLBACK_PATH = "/signin/oidc/callback";
export const PROVIDER_PROOF_PATH = "/prove/oidc";
/** Where applications ask for consent, and their own endpoints. */
export const AUTHORIZE_PATH = "/oauth/authorize";
export const DEVICE_CODE_PATH = "/oauth/device";
/** Where people enter the code of a device. */
export const DEVICE_PATH = "/device";
export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
export const REVOKE_PATH = "/oauth/revoke";
