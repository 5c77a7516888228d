import { account as accountDe } from "./de/account.ts";
import { accountLinks as accountLinksDe } from "./de/account-links.ts";
import { admin as adminDe } from "./de/admin.ts";
import { deletion as deletionDe } from "./de/deletion.ts";
import { docs as docsDe } from "./de/docs.ts";
import { errors as errorsDe } from "./de/errors.ts";
import { factors as factorsDe } from "./de/factors.ts";
import { files as filesDe } from "./de/files.ts";
import { keys as keysDe } from "./de/keys.ts";
import { layout as layoutDe } from "./de/layout.ts";
import { list as listDe } from "./de/list.ts";
import { mail as mailDe } from "./de/mail.ts";
import { messages as messagesDe } from "./de/messages.ts";
import { notices as noticesDe } from "./de/notices.ts";
import { preview as previewDe } from "./de/preview.ts";
import { profile as profileDe } from "./de/profile.ts";
import { provider as providerDe } from "./de/provider.ts";
import { publicPage as publicPageDe } from "./de/public-page.ts";
import { receive as receiveDe } from "./de/receive.ts";
import { removal as removalDe } from "./de/removal.ts";
import { report as reportDe } from "./de/report.ts";
import { requests as requestsDe } from "./de/requests.ts";
import { send as sendDe } from "./de/send.ts";
import { settings as settingsDe } from "./de/settings.ts";
import { share as shareDe } from "./de/share.ts";
import { shares as sharesDe } from "./de/shares.ts";
import { sponsor as sponsorDe } from "./de/sponsor.ts";
import { status as statusDe } from "./de/status.ts";
import { types as typesDe } from "./de/types.ts";
import { unlock as unlockDe } from "./de/unlock.ts";
import { uploaded as uploadedDe } from "./de/uploaded.ts";
import { usage as usageDe } from "./de/usage.ts";
import { webhooks as webhooksDe } from "./de/webhooks.ts";
import { account as accountEn } from "./en/account.ts";
import { accountLinks as accountLinksEn } from "./en/account-links.ts";
import { admin as adminEn } from "./en/admin.ts";
import { deletion as deletionEn } from "./en/deletion.ts";
import { docs as docsEn } from "./en/docs.ts";
import { errors as errorsEn } from "./en/errors.ts";
import { factors as factorsEn } from "./en/factors.ts";
import { files as filesEn } from "./en/files.ts";
import { keys as keysEn } from "./en/keys.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { list as listEn } from "./en/list.ts";
import { mail as mailEn } from "./en/mail.ts";
import { messages as messagesEn } from "./en/messages.ts";
import { notices as noticesEn } from "./en/notices.ts";
import { preview as previewEn } from "./en/preview.ts";
import { profile as profileEn } from "./en/profile.ts";
import { provider as providerEn } from "./en/provider.ts";
import { publicPage as publicPageEn } from "./en/public-page.ts";
import { receive as receiveEn } from "./en/receive.ts";
import { removal as removalEn } from "./en/removal.ts";
import { report as reportEn } from "./en/report.ts";
import { requests as requestsEn } from "./en/requests.ts";
import { send as sendEn } from "./en/send.ts";
import { settings as settingsEn } from "./en/settings.ts";
import { share as shareEn } from "./en/share.ts";
import { shares as sharesEn } from "./en/shares.ts";
import { sponsor as sponsorEn } from "./en/sponsor.ts";
import { status as statusEn } from "./en/status.ts";
import { types as typesEn } from "./en/types.ts";
import { unlock as unlockEn } from "./en/unlock.ts";
import { uploaded as uploadedEn } from "./en/uploaded.ts";
import { usage as usageEn } from "./en/usage.ts";
import { webhooks as webhooksEn } from "./en/webhooks.ts";
import { account as accountFr } from "./fr/account.ts";
import { accountLinks as accountLinksFr } from "./fr/account-links.ts";
import { admin as adminFr } from "./fr/admin.ts";
import { deletion as deletionFr } from "./fr/deletion.ts";
import { docs as docsFr } from "./fr/docs.ts";
import { errors as errorsFr } from "./fr/errors.ts";
import { factors as factorsFr } from "./fr/factors.ts";
import { files as filesFr } from "./fr/files.ts";
import { keys as keysFr } from "./fr/keys.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { list as listFr } from "./fr/list.ts";
import { mail as mailFr } from "./fr/mail.ts";
import { messages as messagesFr } from "./fr/messages.ts";
import { notices as noticesFr } from "./fr/notices.ts";
import { preview as previewFr } from "./fr/preview.ts";
import { profile as profileFr } from "./fr/profile.ts";
import { provider as providerFr } from "./fr/provider.ts";
import { publicPage as publicPageFr } from "./fr/public-page.ts";
import { receive as receiveFr } from "./fr/receive.ts";
import { removal as removalFr } from "./fr/removal.ts";
import { report as reportFr } from "./fr/report.ts";
import { requests as requestsFr } from "./fr/requests.ts";
import { send as sendFr } from "./fr/send.ts";
import { settings as settingsFr } from "./fr/settings.ts";
import { share as shareFr } from "./fr/share.ts";
import { shares as sharesFr } from "./fr/shares.ts";
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
  admin: adminEn,
  accountLinks: accountLinksEn,
  deletion: deletionEn,
  docs: docsEn,
  errors: errorsEn,
  files: filesEn,
  factors: factorsEn,
  keys: keysEn,
  layout: layoutEn,
  list: listEn,
  mail: mailEn,
  messages: messagesEn,
  notices: noticesEn,
  preview: previewEn,
  profile: profileEn,
  publicPage: publicPageEn,
  receive: receiveEn,
  removal: removalEn,
  provider: providerEn,
  report: reportEn,
  requests: requestsEn,
  send: sendEn,
  settings: settingsEn,
  share: shareEn,
  shares: sharesEn,
  sponsor: sponsorEn,
  status: statusEn,
  types: typesEn,
  unlock: unlockEn,
  uploaded: uploadedEn,
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
    admin: adminDe,
    accountLinks: accountLinksDe,
    deletion: deletionDe,
    docs: docsDe,
    errors: errorsDe,
    files: filesDe,
    factors: factorsDe,
    keys: keysDe,
    layout: layoutDe,
    list: listDe,
    mail: mailDe,
    messages: messagesDe,
    notices: noticesDe,
    preview: previewDe,
    profile: profileDe,
    publicPage: publicPageDe,
    receive: receiveDe,
    removal: removalDe,
    provider: providerDe,
    report: reportDe,
    requests: requestsDe,
    send: sendDe,
    settings: settingsDe,
    share: shareDe,
    shares: sharesDe,
    sponsor: sponsorDe,
    status: statusDe,
    types: typesDe,
    unlock: unlockDe,
    uploaded: uploadedDe,
    usage: usageDe,
    webhooks: webhooksDe,
  },
  fr: {
    account: accountFr,
    admin: adminFr,
    accountLinks: accountLinksFr,
    deletion: deletionFr,
    docs: docsFr,
    errors: errorsFr,
    files: filesFr,
    factors: factorsFr,
    keys: keysFr,
    layout: layoutFr,
    list: listFr,
    mail: mailFr,
    messages: messagesFr,
    notices: noticesFr,
    preview: previewFr,
    profile: profileFr,
    publicPage: publicPageFr,
    receive: receiveFr,
    removal: removalFr,
    provider: providerFr,
    report: reportFr,
    requests: requestsFr,
    send: sendFr,
    settings: settingsFr,
    share: shareFr,
    shares: sharesFr,
    sponsor: sponsorFr,
    status: statusFr,
    types: typesFr,
    unlock: unlockFr,
    uploaded: uploadedFr,
    usage: usageFr,
    webhooks: webhooksFr,
  },
};
