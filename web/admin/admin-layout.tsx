/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { TickIcon } from "../icons.tsx";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";
import type { Texts } from "../texts/catalogue.ts";
import { ADMIN_PATH, AUDIT_LOG_PATH, INVITES_PATH, USERS_PATH } from "./paths.ts";

/** The pages of the administration, in the order of their navigation. */
const SECTIONS = {
  overview: { path: ADMIN_PATH, toText: (texts: Texts) => texts.admin.overview },
  users: { path: USERS_PATH, toText: (texts: Texts) => texts.admin.users },
  invites: { path: INVITES_PATH, toText: (texts: Texts) => texts.admin.invites },
  auditLog: { path: AUDIT_LOG_PATH, toText: (texts: Texts) => texts.admin.auditLog },
} as const;

export type AdminSection = keyof typeof SECTIONS;

export interface AdminLayoutProps {
  readonly section: AdminSection;
  /** Title of a page below the section's; default: the section's. */
  readonly title?: string;
  /** What the last form changed. */
  readonly done?: string | undefined;
  /** Why the last form changed nothing. */
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
}

/** Renders one page of the administration, with the navigation of all. */
export function renderAdmin(page: PageContext, { section, title, done, problem, children }: AdminLayoutProps): string {
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
            {Object.entries(SECTIONS).map(([name, { path, toText }]) => (
              <li key={name}>
                <a href={path} aria-current={name === section ? "page" : undefined}>
                  {toText(texts)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="settings-body">
          <h1>{title === undefined ? heading : <bdi>{title}</bdi>}</h1>
          {done === undefined ? null : (
            <p class="done" role="status">
              <TickIcon />
              {done}
            </p>
          )}
          {problem === undefined ? null : (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          {children}
        </div>
      </div>
    ),
  });
}

export interface PagesProps {
  readonly page: PageContext;
  /** Path with the search of this list. */
  readonly path: string;
  readonly nextCursor: string | null;
  /** Whether this is not the first page. */
  readonly isLaterPage: boolean;
}

/** Links to the other pages of a list. */
export function Pages({ page: { texts }, path, nextCursor, isLaterPage }: PagesProps) {
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
