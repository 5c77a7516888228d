/** @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { BackLink, type BackLinkProps } from "../site/back-link.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done, Problem } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { Texts } from "../texts/catalogue.ts";
import {
  ADMIN_FILES_PATH,
  ADMIN_PATH,
  AUDIT_LOG_PATH,
  BLOCKLIST_PATH,
  INVITES_PATH,
  JOBS_PATH,
  REPORTS_PATH,
  SITE_SETTINGS_PATH,
  USERS_PATH,
} from "./paths.ts";

/** The pages of the administration, in the order of their navigation. */
const SECTIONS = {
  overview: { path: ADMIN_PATH, toText: (texts: Texts) => texts.admin.overview },
  users: { path: USERS_PATH, toText: (texts: Texts) => texts.admin.users },
  invites: { path: INVITES_PATH, toText: (texts: Texts) => texts.admin.invites },
  siteSettings: { path: SITE_SETTINGS_PATH, toText: (texts: Texts) => texts.siteSettings.title },
  reports: { path: REPORTS_PATH, toText: (texts: Texts) => texts.moderation.reports, count: "openReports" },
  files: { path: ADMIN_FILES_PATH, toText: (texts: Texts) => texts.moderation.files },
  blocklist: { path: BLOCKLIST_PATH, toText: (texts: Texts) => texts.blocklist.title },
  jobs: { path: JOBS_PATH, toText: (texts: Texts) => texts.jobs.title, count: "failedJobs" },
  auditLog: { path: AUDIT_LOG_PATH, toText: (texts: Texts) => texts.admin.auditLog },
} as const;

export type AdminSection = keyof typeof SECTIONS;

export interface AdminLayoutProps {
  readonly section: AdminSection;
  /** The title of a page below the section; default: the section's title. */
  readonly title?: string;
  /** The page above this one in the hierarchy. */
  readonly back?: BackLinkProps;
  /** The main action, beside the title: a button, or a form that one opens. */
  readonly action?: ComponentChildren;
  /** The change by the last form. */
  readonly done?: string | undefined;
  /** The reason why the last form changed nothing. */
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
}

/** Renders one page of the administration, with the navigation of all pages. */
export function renderAdmin(page: PageContext, { section, title, back, action, done, problem, children }: AdminLayoutProps): string {
  const { texts } = page;
  const heading = title ?? SECTIONS[section].toText(texts);
  return renderDocument(page, {
    title: `${heading} – ${texts.admin.administration}`,
    width: "wide",
    styles: ["dashboard"],
    main: { "data-state": `admin-${section}` },
    children: (
      <div class="settings admin">
        <nav class="settings-nav" aria-label={texts.admin.administration}>
          <ul>
            {Object.entries(SECTIONS).map(([name, { path, toText, ...counted }]) => (
              <li key={name}>
                <a href={path} aria-current={name === section ? "page" : undefined}>
                  {toText(texts)}
                  {"count" in counted ? <Count page={page} count={page.adminCounts?.[counted.count] ?? 0} /> : null}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="settings-body">
          <div class="settings-title">
            {back === undefined ? null : <BackLink {...back} />}
            <h1>{title === undefined ? heading : <bdi>{title}</bdi>}</h1>
            {action}
          </div>
          {done === undefined ? null : <Done>{done}</Done>}
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          {children}
        </div>
      </div>
    ),
  });
}

/** Renders the number of open items of a page, up to 99. */
function Count({ page: { texts }, count }: { readonly page: PageContext; readonly count: number }) {
  if (count === 0) return null;
  const text = count > 99 ? "99+" : String(count);
  return (
    <span class="nav-count">
      <span aria-hidden="true">{text}</span>
      <span class="unseen">{texts.moderation.waiting(text)}</span>
    </span>
  );
}

export interface NextPagesProps {
  readonly page: PageContext;
  /** The path with the search of this list. */
  readonly path: string;
  readonly nextCursor: string | null;
  /** Whether this is not the first page. */
  readonly isLaterPage: boolean;
}

/** Renders links to the other pages of a list. */
export function NextPages({ page: { texts }, path, nextCursor, isLaterPage }: NextPagesProps) {
  if (nextCursor === null && !isLaterPage) return null;
  const separator = path.includes("?") ? "&" : "?";
  return (
    <nav class="choices" aria-label={texts.admin.pages}>
      {isLaterPage ? (
        <a class="button small" href={path}>
          {texts.admin.firstPage}
        </a>
      ) : null}
      {nextCursor === null ? null : (
        <a class="button small" href={`${path}${separator}cursor=${encodeURIComponent(nextCursor)}`} rel="next">
          {texts.admin.nextPage}
        </a>
      )}
    </nav>
  );
}
