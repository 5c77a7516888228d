import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { postProviderConnection, postProviderDisconnection } from "../account/providers/providers.ts";
import { postClaim, showClaimPage } from "./claim/claim.ts";
import { postDeleteAccount, showDeleteAccountPage } from "./delete/delete-account.ts";
import { postEmail, postEmailLink, showEmailLinkPage, showEmailPage } from "./email/email.ts";
import { postKeys, showKeysPage } from "./keys/keys.ts";
import { postNoticeSettings, showNoticeSettingsPage } from "./notices/notice-settings.ts";
import { postProfile, showProfilePage } from "./profile/profile.ts";
import { postPasskeys, showPasskeysPage } from "./security/passkeys.ts";
import { postApplications, postPassword, postSessions, showSecurityPage } from "./security/security.ts";
import { postTwoStep, showTwoStepPage } from "./security/two-step.ts";
import { postSelling, showSellingPage } from "./selling/selling.ts";
import { postUsage, showUsagePage } from "./usage/usage.ts";
import { postWebhook, showWebhookPage } from "./webhooks/webhook.ts";
import { postNewWebhook, showWebhooksPage } from "./webhooks/webhooks.ts";

/** Routes of the pages of the settings and their forms. */
export const settingsRoutes: readonly Route[] = [
  get("/settings", "caller", showProfilePage),
  post("/settings", "caller", postProfile),
  get("/settings/email", "caller", showEmailPage),
  post("/settings/email", "caller", postEmail),
  get("/settings/email/:token", "caller", showEmailLinkPage),
  post("/settings/email/:token", "caller", postEmailLink),

  get("/settings/security", "caller", showSecurityPage),
  post("/settings/security/sessions", "caller", postSessions),
  post("/settings/security/applications", "caller", postApplications),
  post("/settings/security/password", "caller", postPassword),
  post("/settings/security/disconnect", "caller", postProviderDisconnection),
  get("/settings/security/passkeys", "caller", showPasskeysPage),
  post("/settings/security/passkeys", "caller", postPasskeys),
  get("/settings/security/two-step", "caller", showTwoStepPage),
  post("/settings/security/two-step", "caller", postTwoStep),

  get("/settings/keys", "caller", showKeysPage),
  post("/settings/keys", "caller", postKeys),

  get("/settings/webhooks", "caller", showWebhooksPage),
  post("/settings/webhooks", "caller", postNewWebhook),
  get("/settings/webhooks/:id", "caller", showWebhookPage),
  post("/settings/webhooks/:id", "caller", postWebhook),

  get("/settings/notices", "caller", showNoticeSettingsPage),
  post("/settings/notices", "caller", postNoticeSettings),

  get("/settings/usage", "caller", showUsagePage),

  get("/settings/claim", "caller", showClaimPage),
  post("/settings/claim", "caller", postClaim),

  get("/settings/delete", "caller", showDeleteAccountPage),
  post("/settings/delete", "caller", postDeleteAccount),
];

/** Routes for sellers and for the payment of Pro, on servers that take payments. */
export const sellingRoutes: readonly Route[] = [
  get("/settings/selling", "caller", showSellingPage),
  post("/settings/selling", "caller", postSelling),
  post("/settings/usage", "caller", postUsage),
];

/** Routes to connect an account to the OpenID Connect provider, if one is configured. */
export const connectionRoutes: readonly Route[] = [post("/settings/security/connect", "caller", postProviderConnection)];
