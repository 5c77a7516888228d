import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CompiledQuery, sql } from "kysely";
import { type Connection, openConnection } from "../../src/db/connection.ts";
import type { Database, TransactionDb } from "../../src/db/database.ts";
import { openKysely, runTransaction } from "../../src/db/dialect.ts";
import { openDatabase } from "../../src/db/open.ts";
import type { FileRow } from "../../src/db/tables/files.ts";
import type { ShareRow } from "../../src/db/tables/shares.ts";
import { hasIdleKeyWaiting, leaseFairJob } from "../../src/jobs/fair-jobs.ts";
import {
  cancelJobs,
  countAwaiting,
  countJobs,
  enqueueJob,
  findNextDue,
  leaseJobs,
  listWorkSubjects,
  reclaimJobs,
  renewJobs,
  wakeAwaiting,
} from "../../src/jobs/queue.ts";
import { createKeyring } from "../../src/lib/secrets/secrets.ts";
import { countOpenSessions, reserveQuota, sumQuotas } from "../../src/service/accounts/quotas.ts";
import { consume, deleteExpiredRates } from "../../src/service/accounts/rate-limits.ts";
import { countFailed, listFailed } from "../../src/service/administration/failed-jobs-queries.ts";
import { toAdminFiles } from "../../src/service/administration/files.ts";
import { listAwaited, listUnpaid } from "../../src/service/billing/subscriptions.ts";
import { listEventRows } from "../../src/service/downloads/list-download-events.ts";
import { listDownloadRows } from "../../src/service/downloads/list-share-downloads.ts";
import { deleteDispatchedEvents } from "../../src/service/events/outbox.ts";
import { isDigestBlocked } from "../../src/service/files/blocked-digests.ts";
import { deleteFolderRows, isEmptyFolder, listFolderPage, listNamedFolders, listPath } from "../../src/service/files/folder-queries.ts";
import { findLinked, readLinks } from "../../src/service/files/links.ts";
import {
  countFiles,
  countRunFiles,
  countRuns,
  FILE_SORTS,
  listFilePage,
  listMatchingIds,
  listRunFiles,
  listRunTotals,
  readShareInfos,
} from "../../src/service/files/listing-queries.ts";
import { countOtherPlaces, listOtherPlaces } from "../../src/service/files/places.ts";
import { listLosses } from "../../src/service/files/preview-deletion.ts";
import { countOpenImports } from "../../src/service/imports/queries.ts";
import { listSenders } from "../../src/service/notices/notice-details.ts";
import { listRecipientRows } from "../../src/service/recipients/recipient-queries.ts";
import { listDueReminders } from "../../src/service/recipients/remind-recipients.ts";
import { deleteOldReports, findReports, listReportPage } from "../../src/service/reports/queries.ts";
import { countEmptySubmissions, emptySubmissions } from "../../src/service/requests/empty-submissions.ts";
import { findSubmissions } from "../../src/service/requests/queries.ts";
import { listBlockable } from "../../src/service/scanning/block-files.ts";
import { listBegunDownloads, takeEndedDownloads } from "../../src/service/selling/bought-downloads.ts";
import { countBuyers } from "../../src/service/selling/buyers.ts";
import { deleteOldCheckouts, listDueCheckouts, listUnsellableCheckouts } from "../../src/service/selling/purchase-rows.ts";
import { countUsedOrReserved } from "../../src/service/selling/reservations.ts";
import { listFilesLeft } from "../../src/service/shares/files-left.ts";
import { findLinkedRecipients } from "../../src/service/shares/linked-recipients.ts";
import { countOtherLinks } from "../../src/service/shares/other-links.ts";
import {
  type FoundShare,
  findLinkedShare,
  findShareByToken,
  listExpiredShares,
  listShareFiles,
  listSharesPastPro,
  listStoredBytes,
  readReceivedBytes,
} from "../../src/service/shares/queries.ts";
import { findMailMessage } from "../../src/service/shares/recipient-links.ts";
import {
  countShares,
  listPublicRows,
  listShareRows,
  type ShareListName,
  summarizeFiles,
} from "../../src/service/shares/share-list-queries.ts";
import { keysOfFiles, STATES_WITH_BYTES } from "../../src/service/storage/known-keys.ts";
import { findSessionByKey, listParts, listStoredFiles } from "../../src/service/uploads/queries.ts";
import { deleteOldDeliveries, enforceQueueLimit, listDueDeliveries } from "../../src/service/webhooks/delivery-queries.ts";
import { listSubscribers } from "../../src/service/webhooks/queries.ts";
import { type FileLocation, makeLocation } from "./support.ts";

const RATE = { name: "challenges", subject: "x", rate: { limit: 1, windowMs: 1 }, nowMs: 1 } as const;
const FAIR = { kind: "x", isLarge: false, holder: "y", maxPerKey: 1, nowMs: 1, leaseMs: 1 } as const;
/** A file with several places. */
const PLACE = { id: "x", origin_id: "y" } as FileRow;
const PAGE = { offset: 0, limit: 50, total: 500, sort: "created", isAscending: false } as const;

const REPORT_STATES = ["open", "resolved", "all"] as const;

/** Queries of every request, or of every round of jobs and cleanup. */
const QUERIES: Readonly<Record<string, (db: TransactionDb) => Promise<unknown>>> = {
  findLinkedShare: (db) => findLinkedShare(db, "x"),
  "findShareByToken of a share": (db) => findShareByToken(db, "ho_x"),
  "findShareByToken of a recipient": (db) => findShareByToken(db, "hr_x"),
  listRecipientRows: (db) => listRecipientRows(db, "x"),
  listDueReminders: (db) => listDueReminders(db, 1),
  listShareFiles: (db) => listShareFiles(db, "x"),
  readReceivedBytes: (db) => readReceivedBytes(db, ["x", "y"]),
  listStoredBytes: (db) => listStoredBytes(db, "x"),
  countEmptySubmissions: (db) => countEmptySubmissions(db, "x"),
  emptySubmissions: (db) => emptySubmissions(db).where("created_at", "<=", 1).limit(20).execute(),
  findSubmissions: (db) => findSubmissions(db, ["x", "y"]),
  listExpiredShares: (db) => listExpiredShares(db, { nowMs: 1, limit: 20 }),
  listSharesPastPro: (db) => listSharesPastPro(db, 1, 20),
  readShareInfos: (db) => readShareInfos(db, ["x", "y"]),
  countTaken: (db) => countUsedOrReserved({ db, now: () => 1 }, "x"),
  "countBuyers of shares": (db) => countBuyers({ db, now: () => 1 }, { shortIds: ["x"] }),
  "countBuyers of a seller": (db) => countBuyers({ db, now: () => 1 }, { sellerId: "x" }),
  deleteOldCheckouts: (db) => deleteOldCheckouts({ db, now: () => 1 }),
  "listDueCheckouts checkouts": (db) => listDueCheckouts(db, 1, 50),
  "listUnsellableCheckouts checkouts": (db) => listUnsellableCheckouts(db, 1, 50),
  listFiles: (db) => listFilePage(db, { ownerId: "x", folderId: undefined }, PAGE),
  "listFiles of a folder": (db) => listFilePage(db, { ownerId: "x", folderId: "y" }, PAGE),
  "listFiles of no folder": (db) => listFilePage(db, { ownerId: "x", folderId: null }, PAGE),
  ...Object.fromEntries(
    FILE_SORTS.flatMap((sort) =>
      [undefined, null, "y"].flatMap((folderId) =>
        [undefined, ["word"]].map((words) => [
          `listFiles by ${sort}, ${folderId === undefined ? "everywhere" : folderId === null ? "at the root" : "in a folder"}${words ? ", with a search" : ""}`,
          (db: TransactionDb) => listFilePage(db, { ownerId: "x", folderId, ...(words && { words }) }, { ...PAGE, sort }),
        ]),
      ),
    ),
  ),
  "countFiles of a search": (db) => countFiles(db, { ownerId: "x", folderId: undefined, words: ["word"] }),
  listFileIds: (db) => listMatchingIds(db, { ownerId: "x", folderId: undefined }, 100),
  findLinkedRecipients: (db) => findLinkedRecipients(db, ["x", "y"]),
  listLosses: (db) => listLosses({ db, now: () => 1 }, "x", ["y", "z"]),
  findLinked: (db) => findLinked({ db, now: () => 1 }, ["x", "y"]),
  listFilesLeft: (db) => listFilesLeft({ db, now: () => 1 }, ["x", "y"]),
  countShares: (db) => countShares(db, { ownerId: "x", nowMs: 1, max: 1000 }),
  findMailMessage: (db) => findMailMessage({ db, keyring: createKeyring("x".repeat(32)) }, "hr_x"),
  countOtherLinks: (db) => countOtherLinks({ db, now: () => 1 }, ["x", "y"]),
  listPath: (db) => listPath(db, { id: "x", ownerId: "y" }),
  listRunFiles: (db) => listRunFiles(db, { ownerId: "x", runId: "y" }, PAGE),
  countRunFiles: (db) => countRunFiles(db, { ownerId: "x", runId: "y" }),
  listRunTotals: (db) => listRunTotals(db, "x", PAGE),
  countRuns: (db) => countRuns(db, "x"),
  countFiles: (db) => countFiles(db, { ownerId: "x", folderId: undefined }),
  summarizeFiles: (db) => summarizeFiles(db, ["x", "y"]),
  listDownloadRows: (db) => listDownloadRows(db, { shortId: "x", beforeMs: 1, limit: 50 }),
  listEventRows: (db) => listEventRows(db, { fileId: "x", after: undefined, limit: 50 }),
  listFolders: (db) => listFolderPage(db, { ownerId: "x", parentId: "y" }),
  listNamedFolders: (db) => listNamedFolders(db, "x", ["y", "z"]),
  isEmptyFolder: (db) => isEmptyFolder(db, "x"),
  deleteFolder: (db) => deleteFolderRows(db, ["x"]),
  countOpenSessions: (db) => countOpenSessions(db, "x"),
  findSessionByKey: (db) => findSessionByKey(db, "x"),
  listStoredFiles: (db) =>
    listStoredFiles(db, "x", [
      { relativePath: "y", sha256: "z" },
      { relativePath: "a", sha256: "b" },
    ]),
  listParts: (db) => listParts(db, "x"),
  countOpenImports: (db) => countOpenImports(db, "x"),
  reserveQuota: (db) => reserveQuota(db, { owner: "x", bytes: 1, limitBytes: 2, files: 1, limitFiles: 2 }),
  sumQuotas: (db) => sumQuotas(db, "x"),
  consume: (db) => consume(db, RATE),
  deleteExpiredRates: (db) => deleteExpiredRates(db, 1),
  enqueueJob: (db) => enqueueJob(db, { id: "x", kind: "y", subject: "z", runAtMs: 1, nowMs: 1 }),
  cancelJobs: (db) => cancelJobs(db, { kind: "x", subjects: ["y", "z"] }),
  listWorkSubjects: (db) => listWorkSubjects(db, { kind: "x", subjects: ["y", "z"] }),
  deleteDispatchedEvents: (db) => deleteDispatchedEvents(db, ["x", "y"]),
  findNextDue: (db) => findNextDue(db, { kind: "x", nowMs: 1 }),
  leaseJobs: (db) => leaseJobs(db, { kind: "x", limit: 1, holder: "y", nowMs: 1, leaseMs: 1 }),
  leaseFairJob: (db) => leaseFairJob(db, FAIR),
  hasIdleKeyWaiting: (db) => hasIdleKeyWaiting(db, { kind: "x", isLarge: false, nowMs: 1 }),
  wakeAwaiting: (db) => wakeAwaiting(db, { awaits: "scanner", nowMs: 1, limit: 1 }),
  countAwaiting: (db) => countAwaiting(db, "scanner"),
  renewJobs: (db) => renewJobs(db, { holder: "x", nowMs: 1, leaseMs: 1 }),
  reclaimJobs: (db) => reclaimJobs(db, ["x", "y"]),
  listSubscribers: (db) => listSubscribers(db, ["x"]),
  listDueDeliveries: (db) => listDueDeliveries(db, { endpointId: "x", isOnlyManual: false, nowMs: 1, limit: 1 }),
  enforceQueueLimit: (db) => enforceQueueLimit(db, { endpointId: "x", max: 1 }),
  deleteOldDeliveries: (db) => deleteOldDeliveries(db, { beforeMs: 1, limit: 1 }),
  isDigestBlocked: (db) => isDigestBlocked(db, "x"),
  listBlockable: (db) => listBlockable(db, ["x", "y"]),
  listFailed: (db) => listFailed(db, { limit: 50, nowMs: 1 }),
  "listFailed after a position": (db) => listFailed(db, { before: { failedAtMs: 1, id: "x" }, limit: 50, nowMs: 1 }),
  "listFailed of a kind": (db) => listFailed(db, { kind: "mail", limit: 50, nowMs: 1 }),
  "listFailed of an ID": (db) => listFailed(db, { id: "x", limit: 1, nowMs: 1 }),
  countFailed: (db) => countFailed(db),
  findReports: (db) => findReports(db, "x"),
  deleteOldReports: (db) => deleteOldReports(db, 1),
  ...Object.fromEntries(
    REPORT_STATES.map((state) => [
      `listReportPage of ${state} reports by share`,
      (db: TransactionDb) => listReportPage(db, { state, isByShare: true, after: "x", limit: 50 }),
    ]),
  ),
  listBegunDownloads: (db) => listBegunDownloads({ db, now: () => 1 }, "x"),
  takeEndedDownloads: (db) => takeEndedDownloads(db, 1, 100),
  listUnpaid: (db) => listUnpaid(db, 1).execute(),
  listAwaited: (db) => listAwaited(db, 1).execute(),
  keysOfFiles: (db) => keysOfFiles(db, ["x", "y"], STATES_WITH_BYTES),
  readLinks: (db) => readLinks({ db, now: () => 1 }, [{ file: PLACE, share: {} as ShareRow }], 0),
  listOtherPlaces: (db) => listOtherPlaces(db, [PLACE], 1),
  countOtherPlaces: (db) => countOtherPlaces(db, ["x"], ["y"]),
  "deleting the shares of an agent": (db) => db.deleteFrom("shares").where("owner_id", "=", "x").execute(),
};

/** Tables that others refer to: on a deletion, SQLite searches each of those for references. */
const DELETED = ["users", "folders", "shares", "files", "upload_sessions", "webhook_endpoints"] as const;

describe("query plans", () => {
  let location: FileLocation;
  let database: Database;
  let connection: Connection;
  before(async () => {
    location = await makeLocation();
    database = await openDatabase({ url: location.url });
    connection = openConnection(location.path);
    connection.exec("PRAGMA foreign_keys = ON");
  });
  after(async () => {
    connection.close();
    await database[Symbol.asyncDispose]();
    await location[Symbol.asyncDispose]();
  });

  /** The steps of every statement that `work` would run, if each returned `found`. */
  async function explain(work: (db: TransactionDb) => Promise<unknown>, found: readonly Record<string, unknown>[] = []): Promise<string[]> {
    const steps: string[] = [];
    const execute = async ({ sql: text, parameters }: CompiledQuery) => {
      steps.push(...connection.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows.map(({ detail }) => String(detail)));
      return { rows: [...found] };
    };
    const db = openKysely({ execute, begin: async () => ({ execute, commit: async () => {}, rollback: async () => {} }) });
    // Some require a row, which an explained query does not return.
    await runTransaction(db, work).catch((error: unknown) => assert.match(String(error), /no result|undefined/i));
    return steps;
  }
  const fullScans = (steps: readonly string[]): string[] =>
    steps.filter((step) => /^SCAN (?!json_each|CONSTANT|busy$|chain$|candidates$|chosen$|failed$|\(subquery-\d+\)$)/.test(step));

  for (const [name, work] of Object.entries(QUERIES)) {
    test(`${name} reads no table completely`, async () => {
      const steps = await explain(work);
      assert.ok(steps.length > 0 || name === "enqueueJob" || name === "reserveQuota" || name === "consume");
      assert.deepEqual(fullScans(steps), []);
    });
  }

  for (const table of DELETED) {
    test(`deleting from ${table}, with all that refers to it, reads no table completely`, async () => {
      const column = table === "shares" ? "short_id" : "id";
      const steps = connection.run(`EXPLAIN QUERY PLAN DELETE FROM ${table} WHERE ${column} = ?`, ["x"]).rows;
      assert.ok(steps.length > 0);
      assert.deepEqual(fullScans(steps.map(({ detail }) => String(detail))), []);
    });
  }

  test("a full table scan is detected", async () => {
    const steps = await explain((db) => db.selectFrom("files").select("id").where("name", "=", "x").execute());
    assert.equal(fullScans(steps).length, 1);
  });

  test("a search, and each order of a list, reads only an index until the rows of its page", async () => {
    for (const sort of FILE_SORTS)
      for (const folderId of [undefined, null, "y"])
        for (const words of [undefined, ["one", "two"]]) {
          const filter = { ownerId: "x", folderId, ...(words && { words }) };
          const [first = ""] = await explain((db) => listFilePage(db, filter, { ...PAGE, sort }));
          assert.match(first, /^SEARCH files USING COVERING INDEX/, `${sort} ${folderId} ${words}`);
        }
    const [, count = ""] = await explain((db) => countFiles(db, { ownerId: "x", folderId: undefined, words: ["one"] }));
    assert.match(count, /^SEARCH files USING COVERING INDEX/);
  });

  test("a lease reads the first waiting key of an index, however many keys wait, and the few running jobs", async () => {
    const read = (steps: readonly string[]) => new Set(steps.filter((step) => / (jobs|job_keys) /.test(step)));
    const first = "SEARCH job_keys USING COVERING INDEX job_keys_waiting (kind=? AND is_large=? AND waiting_since<?)";
    const leased = "SEARCH jobs USING INDEX jobs_leased (lease_holder>?)";
    const due = "SEARCH jobs USING INDEX jobs_fair (kind=? AND is_large=? AND fair_key=? AND run_at<?)";
    const lease = await explain((db) => leaseFairJob(db, FAIR), [{ fair_key: "x", id: "y" }]);
    assert.deepEqual(
      read(lease),
      new Set([
        first,
        leased,
        "SEARCH job_keys USING PRIMARY KEY (kind=? AND fair_key=? AND is_large=?)",
        due,
        "SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 (id=?)",
        "SEARCH job_keys USING PRIMARY KEY (kind=? AND fair_key=?)",
        "SEARCH jobs USING INDEX jobs_fair (kind=? AND is_large=? AND fair_key=?)",
      ]),
    );
    // The one sort is of the first key and of busy keys; index entries are already in order.
    assert.equal(lease.filter((step) => step === "USE TEMP B-TREE FOR ORDER BY").length, 1);
    assert.deepEqual(read(await explain((db) => hasIdleKeyWaiting(db, FAIR))), new Set([first, leased, due]));
    const corrections = await explain((db) => leaseFairJob(db, FAIR), [{ fair_key: "x", id: null }]);
    assert.equal(
      corrections.filter((step) => step === first).length,
      65,
      "a lease tries at most 65 keys whose waiting jobs no longer exist",
    );
  });

  test("the next due job is read from the start of an index, not from the whole backlog", async () => {
    assert.deepEqual(await explain((db) => findNextDue(db, { kind: "x", nowMs: 1 })), ["SEARCH jobs USING INDEX jobs_due (kind=?)"]);
  });

  test("jobs are counted by indexes, and running jobs without reading the others", async () => {
    const steps = (await explain((db) => countJobs(db, 1))).sort();
    assert.match(steps[0] ?? "", /^SCAN jobs USING COVERING INDEX/);
    assert.match(steps[1] ?? "", /^SEARCH jobs USING INDEX jobs_leased/);
  });

  for (const [list, index] of [
    ["active", "shares_newest (owner_id=? AND (created_at,short_id)<(?,?))"],
    ["expiring", "shares_owner (owner_id=? AND expires_at>? AND expires_at<?)"],
    ["ended", "shares_last_ended (owner_id=? AND (ended_at,short_id)<(?,?))"],
  ] as const satisfies readonly (readonly [ShareListName, string])[]) {
    test(`a page of the ${list} shares is read from its place in an index`, async () => {
      const after = { timeMs: 1, shortId: "y" };
      const steps = await explain((db) => listShareRows(db, { ownerId: "x", list, after, nowMs: 1, limit: 50 }));
      assert.equal(steps[0], `SEARCH shares USING INDEX ${index}`);
      assert.ok(!steps.includes("USE TEMP B-TREE FOR ORDER BY"), steps.join());
    });
  }

  test("a public page is read from its place in an index, with one look-up for the files of each share that are not ready", async () => {
    const after = { timeMs: 1, shortId: "y" };
    const steps = await explain((db) => listPublicRows(db, { ownerId: "x", after, nowMs: 1, limit: 50 }));
    assert.equal(steps[0], "SEARCH shares USING INDEX shares_public (owner_id=? AND (created_at,short_id)<(?,?))");
    assert.ok(steps.includes("SEARCH files USING INDEX files_not_ready (short_id=?)"), steps.join());
    assert.ok(!steps.includes("USE TEMP B-TREE FOR ORDER BY"), steps.join());
  });

  test("a removal finds whether a blob is needed by one entry of an index for each state, however many places have it", async () => {
    const needed = await explain((db) => keysOfFiles(db, ["x", "y"], ["stored"]));
    assert.ok(needed.includes("SEARCH files USING COVERING INDEX files_blob (blob_key=? AND blob_state=?)"), needed.join());
    const counted = await explain((db) => keysOfFiles(db, ["x", "y"], ["stored"], "user:z"));
    assert.ok(
      counted.includes("SEARCH files USING COVERING INDEX files_blob (blob_key=? AND blob_state=? AND quota_owner=?)"),
      counted.join(),
    );
    for (const steps of [needed, counted]) assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), steps.join());
  });

  test("the links of a file are read from an index, oldest first, up to their number", async () => {
    const steps = await explain((db) => readLinks({ db, now: () => 1 }, [{ file: PLACE, share: {} as ShareRow }], 20));
    assert.ok(steps.includes("SEARCH oldest USING COVERING INDEX files_places (origin_id=? AND status=?)"), steps.join());
    assert.deepEqual(
      steps.filter((step) => /TEMP B-TREE/.test(step)),
      ["USE TEMP B-TREE FOR ORDER BY"],
      "only the found links are sorted",
    );
  });

  test("the other places of an administrator's page of files are read with two statements", async () => {
    const share = { expires_at: null } as FoundShare;
    const files = ["a", "b", "c"].map((id) => ({ file: { id, origin_id: id, created_at: 0 } as FileRow, share, owner: null }));
    const steps = await explain((db) => toAdminFiles({ db, now: () => 1 }, files));
    assert.equal(steps.filter((step) => step.startsWith("SEARCH oldest USING COVERING INDEX files_places")).length, 1);
    assert.equal(steps.filter((step) => step.startsWith("SEARCH files USING COVERING INDEX files_places")).length, 1);
    assert.deepEqual(fullScans(steps), []);
  });

  test("the senders of a notice are read from an index, the last file first, up to the number of files", async () => {
    const notice = { about: "x", count: 10_000, updated_at: 1 };
    assert.deepEqual(await explain((db) => listSenders(db, notice)), [
      "SEARCH files USING COVERING INDEX files_arrived (request_id=? AND arrived_at<?)",
      "SEARCH request_submissions USING INDEX sqlite_autoindex_request_submissions_1 (id=?)",
    ]);
  });

  test("the downloads of a share are read from an index, newest first", async () => {
    const steps = await explain((db) => listDownloadRows(db, { shortId: "x", beforeMs: undefined, limit: 50 }));
    assert.equal(steps[0], "SEARCH events USING INDEX events_authorized (short_id=?)");
    assert.ok(!steps.includes("USE TEMP B-TREE FOR ORDER BY"), steps.join());
  });

  test("the report that stands for a share is one entry of an index, and a page of reports counts the open ones of a share once", async () => {
    for (const [state, index] of [
      ["open", "reports_share_open"],
      ["resolved", "reports_share_resolved"],
      ["all", "reports_share"],
    ] as const) {
      const steps = await explain((db) => listReportPage(db, { state, isByShare: true, limit: 50 }), [{ short_id: "x" }]);
      assert.ok(steps.includes(`SEARCH first USING COVERING INDEX ${index} (short_id=?)`), steps.join());
      assert.ok(steps.includes("SEARCH reports USING COVERING INDEX reports_share_open (short_id=?)"), steps.join());
      assert.equal(steps.filter((step) => step.startsWith("CORRELATED")).length, 1, steps.join());
      assert.ok(!steps.some((step) => /TEMP B-TREE FOR ORDER/.test(step)), steps.join());
    }
  });

  // If each row were compared with the others of its share, this would take longer than a test may.
  test("lists the reports of a share by share, however many there are", async () => {
    const count = 40_000;
    await sql`INSERT INTO reports (id, short_id, name, file_count, size_bytes, reason, created_at, resolved_at)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT printf('%06d', n), 'reported', 'x', 1, 1, 'other', n, iif(n % 2, NULL, n) FROM numbers`.execute(database.db);
    const list = async (state: (typeof REPORT_STATES)[number]) =>
      (await listReportPage(database.db, { state, isByShare: true, limit: 50 })).map(({ id, open_reports }) => [id, open_reports]);
    assert.deepEqual(await list("open"), [["000001", count / 2]]);
    assert.deepEqual(await list("resolved"), [["040000", count / 2]]);
    assert.deepEqual(await list("all"), [["040000", count / 2]]);
  });
});
