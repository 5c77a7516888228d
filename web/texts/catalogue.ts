import { account as accountDe } from "./de/account.ts";
import { accountLinks as accountLinksDe } from "./de/account-links.ts";
import { address as addressDe } from "./de/address.ts";
import { admin as adminDe } from "./de/admin.ts";
import { adminUser as adminUserDe } from "./de/admin-user.ts";
import { blocklist as blocklistDe } from "./de/blocklist.ts";
import { deletion as deletionDe } from "./de/deletion.ts";
import { docs as docsDe } from "./de/docs.ts";
import { errors as errorsDe } from "./de/errors.ts";
import { factors as factorsDe } from "./de/factors.ts";
import { files as filesDe } from "./de/files.ts";
import { jobs as jobsDe } from "./de/jobs.ts";
import { keys as keysDe } from "./de/keys.ts";
import { layout as layoutDe } from "./de/layout.ts";
import { list as listDe } from "./de/list.ts";
import { mail as mailDe } from "./de/mail.ts";
import { mcp as mcpDe } from "./de/mcp.ts";
import { messages as messagesDe } from "./de/messages.ts";
import { moderation as moderationDe } from "./de/moderation.ts";
import { notices as noticesDe } from "./de/notices.ts";
import { notify as notifyDe } from "./de/notify.ts";
import { oauth as oauthDe } from "./de/oauth.ts";
import { passkeys as passkeysDe } from "./de/passkeys.ts";
import { preview as previewDe } from "./de/preview.ts";
import { pro as proDe } from "./de/pro.ts";
import { profile as profileDe } from "./de/profile.ts";
import { provider as providerDe } from "./de/provider.ts";
import { publicPage as publicPageDe } from "./de/public-page.ts";
import { receive as receiveDe } from "./de/receive.ts";
import { removal as removalDe } from "./de/removal.ts";
import { report as reportDe } from "./de/report.ts";
import { requests as requestsDe } from "./de/requests.ts";
import { sale as saleDe } from "./de/sale.ts";
import { selling as sellingDe } from "./de/selling.ts";
import { send as sendDe } from "./de/send.ts";
import { settings as settingsDe } from "./de/settings.ts";
import { share as shareDe } from "./de/share.ts";
import { shares as sharesDe } from "./de/shares.ts";
import { siteSettings as siteSettingsDe } from "./de/site-settings.ts";
import { sponsor as sponsorDe } from "./de/sponsor.ts";
import { status as statusDe } from "./de/status.ts";
import { types as typesDe } from "./de/types.ts";
import { unlock as unlockDe } from "./de/unlock.ts";
import { uploaded as uploadedDe } from "./de/uploaded.ts";
import { usage as usageDe } from "./de/usage.ts";
import { webhooks as webhooksDe } from "./de/webhooks.ts";
import { account as accountEn } from "./en/account.ts";
import { accountLinks as accountLinksEn } from "./en/account-links.ts";
import { address as addressEn } from "./en/address.ts";
import { admin as adminEn } from "./en/admin.ts";
import { adminUser as adminUserEn } from "./en/admin-user.ts";
import { blocklist as blocklistEn } from "./en/blocklist.ts";
import { deletion as deletionEn } from "./en/deletion.ts";
import { docs as docsEn } from "./en/docs.ts";
import { errors as errorsEn } from "./en/errors.ts";
import { factors as factorsEn } from "./en/factors.ts";
import { files as filesEn } from "./en/files.ts";
import { jobs as jobsEn } from "./en/jobs.ts";
import { keys as keysEn } from "./en/keys.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { list as listEn } from "./en/list.ts";
import { mail as mailEn } from "./en/mail.ts";
import { mcp as mcpEn } from "./en/mcp.ts";
import { messages as messagesEn } from "./en/messages.ts";
import { moderation as moderationEn } from "./en/moderation.ts";
import { notices as noticesEn } from "./en/notices.ts";
import { notify as notifyEn } from "./en/notify.ts";
import { oauth as oauthEn } from "./en/oauth.ts";
import { passkeys as passkeysEn } from "./en/passkeys.ts";
import { preview as previewEn } from "./en/preview.ts";
import { pro as proEn } from "./en/pro.ts";
import { profile as profileEn } from "./en/profile.ts";
import { provider as providerEn } from "./en/provider.ts";
import { publicPage as publicPageEn } from "./en/public-page.ts";
import { receive as receiveEn } from "./en/receive.ts";
import { removal as removalEn } from "./en/removal.ts";
import { report as reportEn } from "./en/report.ts";
import { requests as requestsEn } from "./en/requests.ts";
import { sale as saleEn } from "./en/sale.ts";
import { selling as sellingEn } from "./en/selling.ts";
import { send as sendEn } from "./en/send.ts";
import { settings as settingsEn } from "./en/settings.ts";
import { share as shareEn } from "./en/share.ts";
import { shares as sharesEn } from "./en/shares.ts";
import { siteSettings as siteSettingsEn } from "./en/site-settings.ts";
import { sponsor as sponsorEn } from "./en/sponsor.ts";
import { status as statusEn } from "./en/status.ts";
import { types as typesEn } from "./en/types.ts";
import { unlock as unlockEn } from "./en/unlock.ts";
import { uploaded as uploadedEn } from "./en/uploaded.ts";
import { usage as usageEn } from "./en/usage.ts";
import { webhooks as webhooksEn } from "./en/webhooks.ts";
import { account as accountFr } from "./fr/account.ts";
import { accountLinks as accountLinksFr } from "./fr/account-links.ts";
import { address as addressFr } from "./fr/address.ts";
import { admin as adminFr } from "./fr/admin.ts";
import { adminUser as adminUserFr } from "./fr/admin-user.ts";
import { blocklist as blocklistFr } from "./fr/blocklist.ts";
import { deletion as deletionFr } from "./fr/deletion.ts";
import { docs as docsFr } from "./fr/docs.ts";
import { errors as errorsFr } from "./fr/errors.ts";
import { factors as factorsFr } from "./fr/factors.ts";
import { files as filesFr } from "./fr/files.ts";
import { jobs as jobsFr } from "./fr/jobs.ts";
import { keys as keysFr } from "./fr/keys.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { list as listFr } from "./fr/list.ts";
import { mail as mailFr } from "./fr/mail.ts";
import { mcp as mcpFr } from "./fr/mcp.ts";
import { messages as messagesFr } from "./fr/messages.ts";
import { moderation as moderationFr } from "./fr/moderation.ts";
import { notices as noticesFr } from "./fr/notices.ts";
import { notify as notifyFr } from "./fr/notify.ts";
import { oauth as oauthFr } from "./fr/oauth.ts";
import { passkeys as passkeysFr } from "./fr/passkeys.ts";
import { preview as previewFr } from "./fr/preview.ts";
import { pro as proFr } from "./fr/pro.ts";
import { profile as profileFr } from "./fr/profile.ts";
import { provider as providerFr } from "./fr/provider.ts";
import { publicPage as publicPageFr } from "./fr/public-page.ts";
import { receive as receiveFr } from "./fr/receive.ts";
import { removal as removalFr } from "./fr/removal.ts";
import { report as reportFr } from "./fr/report.ts";
import { requests as requestsFr } from "./fr/requests.ts";
import { sale as saleFr } from "./fr/sale.ts";
import { selling as sellingFr } from "./fr/selling.ts";
import { send as sendFr } from "./fr/send.ts";
import { settings as settingsFr } from "./fr/settings.ts";
import { share as shareFr } from "./fr/share.ts";
import { shares as sharesFr } from "./fr/shares.ts";
import { siteSettings as siteSettingsFr } from "./fr/site-settings.ts";
import { sponsor as sponsorFr } from "./fr/sponsor.ts";
import { status as statusFr } from "./fr/status.ts";
import { types as typesFr } from "./fr/types.ts";
import { unlock as unlockFr } from "./fr/unlock.ts";
import { uploaded as uploadedFr } from "./fr/uploaded.ts";
import { usage as usageFr } from "./fr/usage.ts";
import { webhooks as webhooksFr } from "./fr/webhooks.ts";
import type { Language } from "./languages.ts";

const en = {
  account: accountEn,
  address: addressEn,
  admin: adminEn,
  adminUser: adminUserEn,
  accountLinks: accountLinksEn,
  blocklist: blocklistEn,
  deletion: deletionEn,
  docs: docsEn,
  errors: errorsEn,
  files: filesEn,
  factors: factorsEn,
  jobs: jobsEn,
  keys: keysEn,
  layout: layoutEn,
  list: listEn,
  mail: mailEn,
  mcp: mcpEn,
  messages: messagesEn,
  moderation: moderationEn,
  notices: noticesEn,
  notify: notifyEn,
  oauth: oauthEn,
  passkeys: passkeysEn,
  preview: previewEn,
  pro: proEn,
  profile: profileEn,
  publicPage: publicPageEn,
  receive: receiveEn,
  removal: removalEn,
  provider: providerEn,
  report: reportEn,
  requests: requestsEn,
  sale: saleEn,
  selling: sellingEn,
  send: sendEn,
  settings: settingsEn,
  share: shareEn,
  shares: sharesEn,
  sponsor: sponsorEn,
  status: statusEn,
  types: typesEn,
  unlock: unlockEn,
  uploaded: uploadedEn,
  siteSettings: siteSettingsEn,
  usage: usageEn,
  webhooks: webhooksEn,
};

/** The texts of the pages by area. An area is a file in each language's folder; scripts import theirs from `#texts/`. */
export type Texts = typeof en;

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = {
  en,
  de: {
    account: accountDe,
    address: addressDe,
    admin: adminDe,
    adminUser: adminUserDe,
    accountLinks: accountLinksDe,
    blocklist: blocklistDe,
    deletion: deletionDe,
    docs: docsDe,
    errors: errorsDe,
    files: filesDe,
    factors: factorsDe,
    jobs: jobsDe,
    keys: keysDe,
    layout: layoutDe,
    list: listDe,
    mail: mailDe,
    mcp: mcpDe,
    messages: messagesDe,
    moderation: moderationDe,
    notices: noticesDe,
    notify: notifyDe,
    oauth: oauthDe,
    passkeys: passkeysDe,
    preview: previewDe,
    pro: proDe,
    profile: profileDe,
    publicPage: publicPageDe,
    receive: receiveDe,
    removal: removalDe,
    provider: providerDe,
    report: reportDe,
    requests: requestsDe,
    sale: saleDe,
    selling: sellingDe,
    send: sendDe,
    settings: settingsDe,
    share: shareDe,
    shares: sharesDe,
    sponsor: sponsorDe,
    status: statusDe,
    types: typesDe,
    unlock: unlockDe,
    uploaded: uploadedDe,
    siteSettings: siteSettingsDe,
    usage: usageDe,
    webhooks: webhooksDe,
  },
  fr: {
    account: accountFr,
    address: addressFr,
    admin: adminFr,
    adminUser: adminUserFr,
    accountLinks: accountLinksFr,
    blocklist: blocklistFr,
    deletion: deletionFr,
    docs: docsFr,
    errors: errorsFr,
    files: filesFr,
    factors: factorsFr,
    jobs: jobsFr,
    keys: keysFr,
    layout: layoutFr,
    list: listFr,
    mail: mailFr,
    mcp: mcpFr,
    messages: messagesFr,
    moderation: moderationFr,
    notices: noticesFr,
    notify: notifyFr,
    oauth: oauthFr,
    passkeys: passkeysFr,
    preview: previewFr,
    pro: proFr,
    profile: profileFr,
    publicPage: publicPageFr,
    receive: receiveFr,
    removal: removalFr,
    provider: providerFr,
    report: reportFr,
    requests: requestsFr,
    sale: saleFr,
    selling: sellingFr,
    send: sendFr,
    settings: settingsFr,
    share: shareFr,
    shares: sharesFr,
    sponsor: sponsorFr,
    status: statusFr,
    types: typesFr,
    unlock: unlockFr,
    uploaded: uploadedFr,
    siteSettings: siteSettingsFr,
    usage: usageFr,
    webhooks: webhooksFr,
  },
};
