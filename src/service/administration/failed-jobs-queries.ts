import { type RawBuilder, sql } from "kysely";
import { sqlAddress, sqlAddressVerified } from "../../db/account-address.ts";
import type { Db } from "../../db/database.ts";
import { MAIL_JOB } from "../../mail/queue.ts";
import { WEBHOOK_JOB } from "../webhooks/enqueue-endpoint-job.ts";
import type { JobKindName } from "./jobs-contract.ts";

/** A job, a webhook delivery or a mail that failed. */
export interface FailedRow {
  readonly source: "job" | "delivery" | "mail";
  readonly id: string;
  readonly kind: JobKindName;
  readonly subject: string;
  /** Name of a file or an import. */
  readonly name: string | null;
  /** 1 if the file with that name is encrypted. */
  readonly is_encrypted: number | null;
  /** URL of a webhook endpoint. */
  readonly url: string | null;
  /** Address to which a mail is sent. */
  readonly recipient: string | null;
  /** Type of the event. */
  readonly event: string | null;
  /** The encrypted content of a mail. */
  readonly content: string | null;
  readonly owner_id: string | null;
  readonly owner_email: string | null;
  readonly owner_verified: number | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly created_at: number;
  readonly failed_at: number;
  readonly next_attempt_at: number | null;
  readonly is_running: number;
}

/** A position in the list of failed work. */
export interface FailedPosition {
  readonly failedAtMs: number;
  readonly id: string;
}

export interface FailedFilter {
  readonly id?: string | undefined;
  readonly kind?: string | undefined;
  /** Limits the list to failures before this position. */
  readonly before?: FailedPosition | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/** Lists failed work, the last failure first. Uses the index of failures in each table, so that no other row is read. */
export async function listFailed(db: Db, filter: FailedFilter): Promise<FailedRow[]> {
  const { kind, limit } = filter;
  const rows = await Promise.all([
    select(db, jobs(filter)),
    kind === undefined || kind === WEBHOOK_JOB ? select(db, deliveries(filter)) : [],
    kind === undefined || kind === MAIL_JOB ? select(db, mails(filter)) : [],
  ]);
  return rows.flat().sort(byTime).slice(0, limit);
}

const byTime = (left: FailedRow, right: FailedRow): number =>
  right.failed_at - left.failed_at || (left.id < right.id ? 1 : left.id > right.id ? -1 : 0);

const select = async (db: Db, query: RawBuilder<FailedRow>): Promise<readonly FailedRow[]> => (await query.execute(db)).rows;

const OWNER = sql`users.id AS owner_id, CASE WHEN users.deleted_at IS NULL THEN ${sqlAddress("users")} END AS owner_email,
    ${sqlAddressVerified("users")} AS owner_verified`;

/** Selects jobs with failures that wait for another attempt or run now. Each subject ID belongs to exactly one table. */
const jobs = (filter: FailedFilter): RawBuilder<FailedRow> => sql`
  SELECT 'job' AS source, failed.id, failed.kind, failed.subject,
    coalesce(files.name, imports.name, imports.requested_name) AS name, files.is_encrypted, webhook_endpoints.url,
    mails.recipient, NULL AS event, mails.content,
    ${OWNER}, failed.attempts, failed.last_error AS error, failed.created_at, failed.failed_at, failed.run_at AS next_attempt_at,
    failed.lease_holder IS NOT NULL AND failed.lease_until > ${filter.nowMs} AS is_running
  FROM (SELECT * FROM jobs WHERE ${conditions("jobs", filter)} ${ofKind(filter)} ${page(filter)}) AS failed
  LEFT JOIN files ON files.id = failed.subject
  LEFT JOIN imports ON imports.id = failed.subject
  LEFT JOIN webhook_endpoints ON webhook_endpoints.id = failed.subject
  LEFT JOIN mails ON mails.id = failed.subject
  LEFT JOIN users ON users.id = coalesce(files.owner_id, imports.owner_id, webhook_endpoints.owner_id, failed.subject)`;

const ofKind = ({ kind }: FailedFilter): RawBuilder<unknown> => (kind === undefined ? sql`` : sql`AND kind = ${kind}`);

const deliveries = (filter: FailedFilter): RawBuilder<FailedRow> => sql`
  SELECT 'delivery' AS source, failed.id, ${WEBHOOK_JOB} AS kind, failed.endpoint_id AS subject, NULL AS name, NULL AS is_encrypted, webhook_endpoints.url, NULL AS recipient,
    failed.type AS event, NULL AS content, ${OWNER}, failed.attempts, failed.error,
    failed.created_at, failed.failed_at, NULL AS next_attempt_at, 0 AS is_running
  FROM (SELECT * FROM webhook_deliveries WHERE ${conditions("webhook_deliveries", filter)} ${page(filter)}) AS failed
  JOIN webhook_endpoints ON webhook_endpoints.id = failed.endpoint_id
  LEFT JOIN users ON users.id = webhook_endpoints.owner_id`;

const mails = (filter: FailedFilter): RawBuilder<FailedRow> => sql`
  SELECT 'mail' AS source, failed.id, ${MAIL_JOB} AS kind, failed.id AS subject, NULL AS name, NULL AS is_encrypted, NULL AS url, failed.recipient,
    NULL AS event, failed.content, ${OWNER}, failed.attempts, failed.error,
    failed.created_at, failed.failed_at, NULL AS next_attempt_at, 0 AS is_running
  FROM (SELECT * FROM mails WHERE ${conditions("mails", filter)} ${page(filter)}) AS failed
  LEFT JOIN users ON users.email = failed.recipient`;

function conditions(table: "jobs" | "webhook_deliveries" | "mails", { id, before }: FailedFilter): RawBuilder<unknown> {
  const failedAt = sql.ref(`${table}.failed_at`);
  const rowId = sql.ref(`${table}.id`);
  const parts = [
    sql`${failedAt} IS NOT NULL`,
    ...(id === undefined ? [] : [sql`${rowId} = ${id}`]),
    ...(before === undefined ? [] : [sql`(${failedAt}, ${rowId}) < (${before.failedAtMs}, ${before.id})`]),
  ];
  return sql.join(parts, sql` AND `);
}

const page = ({ limit }: FailedFilter): RawBuilder<unknown> => sql`ORDER BY failed_at DESC, id DESC LIMIT ${limit}`;

export interface FailedCount {
  readonly kind: JobKindName;
  readonly count: number;
}

/** Counts failed work by kind, the most frequent kind first. The "+" keeps the planner from reading all jobs in the order of their kinds. */
export async function countFailed(db: Db): Promise<FailedCount[]> {
  const { rows } = await sql<FailedCount>`SELECT kind, sum(count) AS count FROM (
      SELECT kind, count(*) AS count FROM jobs WHERE failed_at IS NOT NULL GROUP BY +kind
      UNION ALL SELECT ${WEBHOOK_JOB}, count(*) FROM webhook_deliveries WHERE failed_at IS NOT NULL
      UNION ALL SELECT ${MAIL_JOB}, count(*) FROM mails WHERE failed_at IS NOT NULL
    ) WHERE count > 0 GROUP BY kind ORDER BY count DESC, kind`.execute(db);
  return rows;
}
