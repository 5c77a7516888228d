import type { Migration } from "../migrate.ts";
import { accounts } from "../schema/accounts.ts";
import { auditLog } from "../schema/audit-log.ts";
import { downloads } from "../schema/downloads.ts";
import { events } from "../schema/events.ts";
import { files } from "../schema/files.ts";
import { folders } from "../schema/folders.ts";
import { imports } from "../schema/imports.ts";
import { jobs } from "../schema/jobs.ts";
import { mail } from "../schema/mail.ts";
import { mcp } from "../schema/mcp.ts";
import { moderation } from "../schema/moderation.ts";
import { notices } from "../schema/notices.ts";
import { oauth } from "../schema/oauth.ts";
import { requests } from "../schema/requests.ts";
import { secondFactors } from "../schema/second-factors.ts";
import { selling } from "../schema/selling.ts";
import { servers } from "../schema/servers.ts";
import { shares } from "../schema/shares.ts";
import { signIn } from "../schema/sign-in.ts";
import { uploads } from "../schema/uploads.ts";
import { REPLACED_MIGRATIONS } from "./replaced-migrations.ts";

/**
 * The whole schema. Times are milliseconds since 1970, sizes bytes, booleans 0 or 1. A table comes after the tables that it refers to.
 * References have indexes, because a deletion searches every table that may refer to the deleted row.
 */
export const initialSchema: Migration = {
  name: "0001-initial-schema",
  replaces: REPLACED_MIGRATIONS,
  statements: [
    ...accounts,
    ...signIn,
    ...secondFactors,
    ...oauth,
    ...mcp,
    ...folders,
    ...shares,
    ...files,
    ...requests,
    ...uploads,
    ...imports,
    ...downloads,
    ...selling,
    ...moderation,
    ...mail,
    ...notices,
    ...events,
    ...auditLog,
    ...jobs,
    ...servers,
  ],
};
