/** @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { BackLink, type BackLinkProps } from "../site/back-link.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { Texts } from "../texts/catalogue.ts";
import {
  CLAIM_PATH,
  KEYS_PATH,
  NOTICE_SETTINGS_PATH,
  PROFILE_PATH,
  SECURITY_PATH,
  SELLING_PATH,
  USAGE_PATH,
  WEBHOOKS_PATH,
} from "./paths.ts";

/** The pages of the settings, in the order of their navigation. */
const SECTIONS = {
  profile: { path: PROFILE_PATH, toText: (texts: Texts) => texts.settings.profile },
  security: { path: SECURITY_PATH, toText: (texts: Texts) => texts.settings.security },
  notices: { path: NOTICE_SETTINGS_PATH, toText: (texts: Texts) => texts.notices.title },
  usage: { path: USAGE_PATH, toText: (texts: Texts) => texts.usage.usage },
  claim: { path: CLAIM_PATH, toText: (texts: Texts) => texts.usage.claim },
  selling: { path: SELLING_PATH, toText: (texts: Texts) => texts.selling.selling },
  keys: { path: KEYS_PATH, toText: (texts: Texts) => texts.keys.keys },
  webhooks: { path: WEBHOOKS_PATH, toText: (texts: Texts) => texts.webhooks.webhooks },
} as const;

export type SettingsSection = keyof typeof SECTIONS;

export interface SettingsLayoutProps {
  readonly section: SettingsSection;
  /** The title of the page; default: the section's title. */
  readonly title?: string;
  /** The page above this one in the hierarchy. */
  readonly back?: BackLinkProps | undefined;
  /** A sentence about the purpose of the page. */
  readonly intro?: string;
  /** The change by the last form. */
  readonly done?: string | undefined;
  /** The interval in which the page is loaded again, while its contents are about to change. */
  readonly refreshSeconds?: number | undefined;
  readonly children: ComponentChildren;
}

/** Renders one page of the settings, with the navigation of all pages. */
export function renderSettings(
  page: PageContext,
  { section, title = SECTIONS[section].toText(page.texts), back, intro, done, refreshSeconds, children }: SettingsLayoutProps,
): string {
  const { texts, site } = page;
  const sections = Object.entries(SECTIONS).filter(([name]) => name !== "selling" || site.hasSelling);
  return renderDocument(page, {
    title: `${title} – ${texts.settings.settings}`,
    width: "wide",
    styles: ["dashboard"],
    refresh: refreshSeconds === undefined ? undefined : { seconds: refreshSeconds },
    main: {
      "data-state": `settings-${section}`,
      ...(refreshSeconds !== undefined && { "data-state": `settings-${section} waiting`, "data-refresh": "" }),
      ...(done !== undefined && { "data-say": done }),
    },
    children: (
      <div class="settings">
        <nav class="settings-nav" aria-label={texts.settings.settings}>
          <ul>
            {sections.map(([name, { path, toText }]) => (
              <li key={name}>
                <a href={path} aria-current={name === section ? "page" : undefined}>
                  {toText(texts)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="settings-body">
          <div class="settings-title">
            {back === undefined ? null : <BackLink {...back} />}
            <h1>{title}</h1>
            {intro === undefined ? null : <p class="quiet">{intro}</p>}
          </div>
          {done === undefined ? null : <Done>{done}</Done>}
          {children}
        </div>
      </div>
    ),
  });
}
