import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { connectProvider, disconnectProvider } from "../account/providers/providers.ts";
import { sendClaim, showClaimPage } from "./claim/claim.ts";
import { sendDeleteAccount, showDeleteAccount } from "./delete/delete-account.ts";
import { confirmByLink, sendEmail, showEmailLink, showEmailPage } from "./email/email.ts";
import { sendKeys, showKeysPage } from "./keys/keys.ts";
import { saveNoticeSettings, showNoticeSettings } from "./notices/notice-settings.ts";
import { sendProfile, showProfilePage } from "./profile/profile.ts";
import { sendPasskeys, showPasskeysPage } from "./security/passkeys.ts";
import { endApplication, endSession, sendPassword, showSecurityPage } from "./security/security.ts";
import { changeTwoStep, showTwoStepPage } from "./security/two-step.ts";
import { sendSelling, showSellingPage } from "./selling/selling.ts";
import { sendUsage, showUsagePage } from "./usage/usage.ts";
import { sendWebhook, showWebhookPage } from "./webhooks/webhook.ts";
import { sendNewWebhook, showWebhooksPage } from "./webhooks/webhooks.ts";

/** The pages of the settings and their forms. */
export const settingsRoutes: readonly Route[] = [
  get("/settings", "caller", showProfilePage),
  post("/settings", "caller", sendProfile),
  get("/settings/email", "caller", showEmailPage),
  post("/settings/email", "caller", sendEmail),
  get("/settings/email/:token", "caller", showEmailLink),
  post("/settings/email/:token", "caller", confirmByLink),
  get("/settings/keys", "caller", showKeysPage),
  post("/settings/keys", "caller", sendKeys),
  get("/settings/webhooks", "caller", showWebhooksPage),
  post("/settings/webhooks", "caller", sendNewWebhook),
  get("/settings/webhooks/:id", "caller", showWebhookPage),
  post("/settings/webhooks/:id", "caller", sendWebhook),
  get("/settings/usage", "caller", showUsagePage),
  get("/settings/claim", "caller", showClaimPage),
  post("/settings/claim", "caller", sendClaim),
  get("/settings/security", "caller", showSecurityPage),
  post("/settings/security/sessions", "caller", endSession),
  post("/settings/security/applications", "caller", endApplication),
  post("/settings/security/password", "caller", sendPassword),
  get("/settings/security/passkeys", "caller", showPasskeysPage),
  post("/settings/security/passkeys", "caller", sendPasskeys),
  get("/settings/delete", "caller", showDeleteAccount),
  post("/settings/delete", "caller", sendDeleteAccount),
  get("/settings/security/two-step", "caller", showTwoStepPage),
  post("/settings/security/two-step", "caller", changeTwoStep),
  get("/settings/notices", "caller", showNoticeSettings),
  post("/settings/notices", "caller", saveNoticeSettings),
  post("/settings/security/disconnect", "caller", disconnectProvider),
];

/** Routes for sellers and for the payment of Pro, where payments are taken. */
export const sellingRoutes: readonly Route[] = [
  get("/settings/selling", "caller", showSellingPage),
  post("/settings/selling", "caller", sendSelling),
  post("/settings/usage", "caller", sendUsage),
];

/** Routes that connect a provider of OpenID Connect, where there is one. */
export const connectionRoutes: readonly Route[] = [post("/settings/security/connect", "caller", connectProvider)];
