import type { RequestContext } from "../../../src/context.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { parseIsoTime, toIso } from "../../../src/lib/text/iso-time.ts";
import { operations } from "../../../src/service/operations.ts";
import { renderAuditLogPage } from "./audit-log-page.tsx";

export async function showAuditLogPage(c: HttpContext, call: RequestContext): Promise<Response> {
  const [actor, action, subject] = ["actor", "action", "subject"].map((name) => c.req.query(name)?.trim().slice(0, 254) || undefined);
  const [since, until] = [readDay(c.req.query("since")), readDay(c.req.query("until"))];
  const sent = c.req.query("cursor");
  const cursor = sent !== undefined && /^\d{1,15}$/.test(sent) ? sent : undefined;
  const { data, nextCursor } = await operations.listAuditLog(c.env.ctx, call, {
    actor,
    action,
    subject,
    since: since && toIso(since.startMs),
    until: until && toIso(until.startMs + DAY_MS),
    cursor,
  });
  const html = renderAuditLogPage(pageContext(c), {
    entries: data,
    search: { actor, action, subject, since: since?.text, until: until?.text },
    nextCursor,
    isLaterPage: cursor !== undefined,
  });
  return await respondPage(c, { html });
}

/** Reads a day of UTC in the form of a date field. */
function readDay(text = ""): { readonly text: string; readonly startMs: number } | undefined {
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseIsoTime(text) : undefined;
  return startMs === undefined ? undefined : { text, startMs };
}
