import {
  APPLICATIONS_PATH,
  CLAIM_PATH,
  EMAIL_PATH,
  KEYS_PATH,
  PASSKEYS_PATH,
  PASSWORD_PATH,
  PROFILE_PATH,
  REMOVAL_PATH,
  SECURITY_PATH,
  SELLING_PATH,
  SESSIONS_PATH,
  USAGE_PATH,
  WEBHOOKS_PATH,
} from "./paths.ts";
import { sendClaim, showClaimPage } from "./claim.ts";
import { confirmByLink, sendEmail, showEmailLink, showEmailPage } from "./email.ts";
import type { Route } from "../../src/http/env.ts";
import { sendKeys, showKeysPage } from "./keys.ts";
import { sendPasskeys, showPasskeysPage } from "./passkeys.ts";
import { sendProfile, showProfilePage } from "./profile.ts";
import { sendRemoval, showRemovalPage } from "./removal.ts";
import { endApplication, endSession, sendPassword, showSecurityPage } from "./security.ts";
import { sendSelling, showSellingPage } from "./selling.ts";
import { sendUsage, showUsagePage } from "./usage.ts";
import { sendNewWebhook, sendWebhook, showWebhookPage, showWebhooksPage } from "./webhooks.ts";

type Handle = Route["handle"];

const get = (path: string, handle: Handle): Route => ({ method: "GET", path, rate: "caller", handle });
const post = (path: string, handle: Handle): Route => ({ method: "POST", path, rate: "caller", handle });

/** The pages of the settings and their forms. */
export const SETTINGS_ROUTES: readonly Route[] = [
  get(PROFILE_PATH, showProfilePage),
  post(PROFILE_PATH, sendProfile),
  get(EMAIL_PATH, showEmailPage),
  post(EMAIL_PATH, sendEmail),
  get(`${EMAIL_PATH}/:token`, showEmailLink),
  post(`${EMAIL_PATH}/:token`, confirmByLink),
  get(KEYS_PATH, showKeysPage),
  post(KEYS_PATH, sendKeys),
  get(WEBHOOKS_PATH, showWebhooksPage),
  post(WEBHOOKS_PATH, sendNewWebhook),
  get(`${WEBHOOKS_PATH}/:id`, showWebhookPage),
  post(`${WEBHOOKS_PATH}/:id`, sendWebhook),
  get(USAGE_PATH, showUsagePage),
  get(CLAIM_PATH, showClaimPage),
  post(CLAIM_PATH, sendClaim),
  get(SECURITY_PATH, showSecurityPage),
  post(SESSIONS_PATH, endSession),
  post(APPLICATIONS_PATH, endApplication),
  post(PASSWORD_PATH, sendPassword),
  get(PASSKEYS_PATH, showPasskeysPage),
  post(PASSKEYS_PATH, sendPasskeys),
  get(REMOVAL_PATH, showRemovalPage),
  post(REMOVAL_PATH, sendRemoval),
];

/** Those of sellers and of payment for Pro, where payments are taken. */
export const SELLING_ROUTES: readonly Route[] = [
  get(SELLING_PATH, showSellingPage),
  post(SELLING_PATH, sendSelling),
  post(USAGE_PATH, sendUsage),
];
