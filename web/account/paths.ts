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
export const PROVIDER_PROOF_PATH = "/prove/oidc";
/** The path of the page on which people enter the code of a device. */
export const DEVICE_PATH = "/device";

/** Returns the path of a page that later redirects to `next`. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?next=${encodeURIComponent(next)}`;
