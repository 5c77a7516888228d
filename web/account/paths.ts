/** Paths of the pages of accounts. */
export const SIGN_IN_PATH = "/signin";
export const SIGN_IN_CODE_PATH = "/signin/code";
export const SIGN_UP_PATH = "/signup";
export const PROVE_PATH = "/prove";
export const SIGN_OUT_PATH = "/signout";
export const FORGOT_PATH = "/forgot";
export const VERIFY_PATH = "/verify";
export const PROVIDER_PATH = "/signin/oidc";
/** The redirect URI of OpenID Connect. */
export const PROVIDER_CALLBACK_PATH = "/signin/oidc/callback";
export const PROVIDER_PROOF_PATH = "/prove/oidc";
