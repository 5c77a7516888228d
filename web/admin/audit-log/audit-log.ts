import { isRunTimeName } from "../../../src/config/run-time.ts";
import type { RequestContext } from "../../../src/context.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import type { AuditEntryView } from "../../../src/service/audit-log/contract.ts";
import { findActorName, listRecentActors, type NamedActor, nameEntries } from "../../../src/service/audit-log/name-entries.ts";
import { type EntryNames, subjectKey, subjectKind } from "../../../src/service/audit-log/names-contract.ts";
import { operations } from "../../../src/service/operations.ts";
import type { Texts } from "../../texts/catalogue.ts";
import { SETTING_POSITIONS } from "../settings/site-setting-positions.ts";
import { renderAuditLogPage } from "./audit-log-page.tsx";
import { readAuditSearch, toTimes } from "./audit-search.ts";

export async function showAuditLogPage(c: HttpContext, call: RequestContext): Promise<Response> {
  const { ctx } = c.env;
  const search = readAuditSearch((name) => c.req.query(name));
  const { actor, action, subject } = search;
  const sent = c.req.query("cursor");
  const cursor = sent !== undefined && /^\d{1,15}$/.test(sent) ? sent : undefined;
  const { data, nextCursor } = await operations.listAuditLog(ctx, call, {
    actor,
    action,
    subject,
    ...toTimes(search, ctx.now()),
    cursor,
  });
  const html = renderAuditLogPage(pageContext(c), {
    entries: data,
    names: await findNames(c, data),
    search,
    actors: await listActors(c, actor),
    nextCursor,
    isLaterPage: cursor !== undefined,
  });
  return await respondPage(c, { html });
}

/** Lists the people of the newest entries, and the person of the search, who may not be one of them. */
async function listActors(c: HttpContext, chosen: string | undefined): Promise<readonly NamedActor[]> {
  const { db } = c.env.ctx;
  const recent = await listRecentActors(db);
  if (chosen === undefined || recent.some(({ id }) => id === chosen)) return recent;
  const name = await findActorName(db, chosen);
  return name === undefined ? recent : [...recent, { id: chosen, name }];
}

/** Finds the names in the entries. Settings have the names that their page shows. */
async function findNames(c: HttpContext, entries: readonly AuditEntryView[]): Promise<EntryNames> {
  const { accounts, subjects } = await nameEntries(c.env.ctx.db, entries);
  const { texts } = pageContext(c);
  const settings = entries.flatMap((entry) => {
    const title = subjectKind(entry) === "setting" ? settingTitle(texts, entry.subjectId) : undefined;
    return title === undefined ? [] : [[subjectKey(entry), title] as const];
  });
  return { accounts, subjects: new Map([...subjects, ...settings]) };
}

function settingTitle(texts: Texts, name: string): string | undefined {
  if (!isRunTimeName(name)) return undefined;
  const { text, tier } = SETTING_POSITIONS[name];
  const title = texts.siteSettings.settings[text].name;
  return tier === undefined ? title : `${title} (${texts.admin.tiers[tier]})`;
}
