import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { postConsent, showConsentPage } from "./consent/consent.ts";
import { postDevice, showDevicePage } from "./device/device.ts";
import { postPasskeyProof, postPasskeySignIn } from "./passkeys/passkeys.ts";
import { postForgottenPassword, showForgottenPage } from "./password/forgot.ts";
import { postNewPassword, showNewPasswordPage } from "./password/reset.ts";
import { postProof, showProvePage } from "./prove/prove.ts";
import { postProviderProof, postProviderSignIn, returnFromProvider } from "./providers/providers.ts";
import { postSignInCode, showCodePage } from "./sign-in/code.ts";
import { postSignIn, postSignOut, showSignInPage } from "./sign-in/sign-in.ts";
import { postSignUp, showSignUpPage } from "./sign-up/sign-up.ts";
import { postVerificationAgain, postVerificationLink, showVerificationLinkPage, showVerifyPage } from "./verify/verify.ts";

/** Routes of signing in and up, proofs of identity, and consent for applications. */
export const accountRoutes: readonly Route[] = [
  get("/signin", "request", showSignInPage),
  post("/signin", "caller", postSignIn),
  post("/signin/passkey", "caller", postPasskeySignIn),
  get("/signin/code", "request", showCodePage),
  post("/signin/code", "caller", postSignInCode),
  get("/signup", "request", showSignUpPage),
  post("/signup", "caller", postSignUp),
  get("/invite/:token", "request", showSignUpPage),
  post("/invite/:token", "caller", postSignUp),
  post("/signout", "caller", postSignOut),
  get("/forgot", "request", showForgottenPage),
  post("/forgot", "caller", postForgottenPassword),
  get("/reset/:token", "request", showNewPasswordPage),
  post("/reset/:token", "caller", postNewPassword),
  get("/verify", "caller", showVerifyPage),
  post("/verify", "caller", postVerificationAgain),
  get("/verify/:token", "request", showVerificationLinkPage),
  post("/verify/:token", "caller", postVerificationLink),
  get("/prove", "caller", showProvePage),
  post("/prove", "caller", postProof),
  post("/prove/passkey", "caller", postPasskeyProof),
  get("/device", "caller", showDevicePage),
  post("/device", "caller", postDevice),
  get("/oauth/authorize", "caller", showConsentPage),
  post("/oauth/authorize", "caller", postConsent),
];

/** Routes to sign in and to prove one's identity at the OpenID Connect provider, if one is configured. */
export const providerRoutes: readonly Route[] = [
  post("/signin/oidc", "caller", postProviderSignIn),
  { ...get("/signin/oidc/callback", "caller", returnFromProvider), refusesHead: true },
  post("/prove/oidc", "caller", postProviderProof),
];
