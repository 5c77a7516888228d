import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { sendConsent, showConsentPage } from "./consent/consent.ts";
import { sendDevice, showDevicePage } from "./device/device.ts";
import { sendPasskeyProof, sendPasskeySignIn } from "./passkeys/passkeys.ts";
import { sendForgotten, showForgottenPage } from "./password/forgot.ts";
import { sendNewPassword, showNewPasswordPage } from "./password/reset.ts";
import { sendProof, showProvePage } from "./prove/prove.ts";
import { proveAtProvider, returnFromProvider, signInAtProvider } from "./providers/providers.ts";
import { sendCode, showCodePage } from "./sign-in/code.ts";
import { sendSignIn, sendSignOut, showSignInPage } from "./sign-in/sign-in.ts";
import { sendSignUp, showSignUpPage } from "./sign-up/sign-up.ts";
import { sendVerificationAgain, showVerificationLink, showVerifyPage, verifyByLink } from "./verify/verify.ts";

/** Signing in and up, proofs of who somebody is, and consent for applications. */
export const accountRoutes: readonly Route[] = [
  get("/signin", "request", showSignInPage),
  post("/signin", "caller", sendSignIn),
  post("/signin/passkey", "caller", sendPasskeySignIn),
  get("/signin/code", "request", showCodePage),
  post("/signin/code", "caller", sendCode),
  get("/signup", "request", showSignUpPage),
  post("/signup", "caller", sendSignUp),
  get("/invite/:token", "request", showSignUpPage),
  post("/invite/:token", "caller", sendSignUp),
  post("/signout", "caller", sendSignOut),
  get("/forgot", "request", showForgottenPage),
  post("/forgot", "caller", sendForgotten),
  get("/reset/:token", "request", showNewPasswordPage),
  post("/reset/:token", "caller", sendNewPassword),
  get("/verify", "caller", showVerifyPage),
  post("/verify", "caller", sendVerificationAgain),
  get("/verify/:token", "request", showVerificationLink),
  post("/verify/:token", "caller", verifyByLink),
  get("/prove", "caller", showProvePage),
  post("/prove", "caller", sendProof),
  post("/prove/passkey", "caller", sendPasskeyProof),
  get("/device", "caller", showDevicePage),
  post("/device", "caller", sendDevice),
  get("/oauth/authorize", "caller", showConsentPage),
  post("/oauth/authorize", "caller", sendConsent),
];

/** Routes of the provider of OpenID Connect, where there is one. */
export const providerRoutes: readonly Route[] = [
  post("/signin/oidc", "caller", signInAtProvider),
  { ...get("/signin/oidc/callback", "caller", returnFromProvider), refusesHead: true },
  post("/prove/oidc", "caller", proveAtProvider),
];
