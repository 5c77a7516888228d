import * as accountDe from "../account/texts/de.ts";
import * as accountEn from "../account/texts/en.ts";
import * as accountFr from "../account/texts/fr.ts";
import * as adminDe from "../admin/texts/de.ts";
import * as adminEn from "../admin/texts/en.ts";
import * as adminFr from "../admin/texts/fr.ts";
import * as docsDe from "../docs/texts/de.ts";
import * as docsEn from "../docs/texts/en.ts";
import * as docsFr from "../docs/texts/fr.ts";
import * as filesDe from "../files/texts/de.ts";
import * as filesEn from "../files/texts/en.ts";
import * as filesFr from "../files/texts/fr.ts";
import * as homeDe from "../home/texts/de.ts";
import * as homeEn from "../home/texts/en.ts";
import * as homeFr from "../home/texts/fr.ts";
import * as mailDe from "../mail/texts/de.ts";
import * as mailEn from "../mail/texts/en.ts";
import * as mailFr from "../mail/texts/fr.ts";
import * as mcpDe from "../mcp/texts/de.ts";
import * as mcpEn from "../mcp/texts/en.ts";
import * as mcpFr from "../mcp/texts/fr.ts";
import * as noticesDe from "../notices/texts/de.ts";
import * as noticesEn from "../notices/texts/en.ts";
import * as noticesFr from "../notices/texts/fr.ts";
import * as previewDe from "../preview/texts/de.ts";
import * as previewEn from "../preview/texts/en.ts";
import * as previewFr from "../preview/texts/fr.ts";
import * as publicPageDe from "../public-page/texts/de.ts";
import * as publicPageEn from "../public-page/texts/en.ts";
import * as publicPageFr from "../public-page/texts/fr.ts";
import * as recipientsDe from "../recipients/texts/de.ts";
import * as recipientsEn from "../recipients/texts/en.ts";
import * as recipientsFr from "../recipients/texts/fr.ts";
import * as requestsDe from "../requests/texts/de.ts";
import * as requestsEn from "../requests/texts/en.ts";
import * as requestsFr from "../requests/texts/fr.ts";
import * as sellingDe from "../selling/texts/de.ts";
import * as sellingEn from "../selling/texts/en.ts";
import * as sellingFr from "../selling/texts/fr.ts";
import * as sendingDe from "../sending/texts/de.ts";
import * as sendingEn from "../sending/texts/en.ts";
import * as sendingFr from "../sending/texts/fr.ts";
import * as settingsDe from "../settings/texts/de.ts";
import * as settingsEn from "../settings/texts/en.ts";
import * as settingsFr from "../settings/texts/fr.ts";
import * as shareDe from "../share/texts/de.ts";
import * as shareEn from "../share/texts/en.ts";
import * as shareFr from "../share/texts/fr.ts";
import * as sharesDe from "../shares/texts/de.ts";
import * as sharesEn from "../shares/texts/en.ts";
import * as sharesFr from "../shares/texts/fr.ts";
import * as siteDe from "../site/texts/de.ts";
import * as siteEn from "../site/texts/en.ts";
import * as siteFr from "../site/texts/fr.ts";
import type { Language } from "./languages.ts";

const en = {
  ...accountEn,
  ...adminEn,
  ...docsEn,
  ...filesEn,
  ...homeEn,
  ...mailEn,
  ...mcpEn,
  ...noticesEn,
  ...previewEn,
  ...publicPageEn,
  ...recipientsEn,
  ...requestsEn,
  ...sellingEn,
  ...sendingEn,
  ...settingsEn,
  ...shareEn,
  ...sharesEn,
  ...siteEn,
};

/** The texts of the pages, by subject. Each area has its own (`web/<area>/texts/`); scripts import theirs from `#texts/<area>`. */
export type Texts = typeof en;

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = {
  en,
  de: {
    ...accountDe,
    ...adminDe,
    ...docsDe,
    ...filesDe,
    ...homeDe,
    ...mailDe,
    ...mcpDe,
    ...noticesDe,
    ...previewDe,
    ...publicPageDe,
    ...recipientsDe,
    ...requestsDe,
    ...sellingDe,
    ...sendingDe,
    ...settingsDe,
    ...shareDe,
    ...sharesDe,
    ...siteDe,
  },
  fr: {
    ...accountFr,
    ...adminFr,
    ...docsFr,
    ...filesFr,
    ...homeFr,
    ...mailFr,
    ...mcpFr,
    ...noticesFr,
    ...previewFr,
    ...publicPageFr,
    ...recipientsFr,
    ...requestsFr,
    ...sellingFr,
    ...sendingFr,
    ...settingsFr,
    ...shareFr,
    ...sharesFr,
    ...siteFr,
  },
};
