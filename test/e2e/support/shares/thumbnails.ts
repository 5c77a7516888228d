import assert from "node:assert/strict";
import { cancelJob, enqueueJob } from "../../../../src/jobs/queue.ts";
import { THUMBNAIL_JOB } from "../../../../src/service/files/enqueue-thumbnail.ts";
import { viewShare } from "../../../../src/service/shares/view-share.ts";
import { listedFiles, WHOLE_SHIPMENT } from "../../../../web/share/file-listing.ts";
import type { ShareAccess, ShareFile } from "../../../../web/share/share-page-props.ts";
import { toSharePage } from "../../../../web/share/to-share-page.ts";
import type { TestServer } from "../../../support/server.ts";
import { until } from "../../../support/until.ts";
import { withServerContext } from "../servers/server-context.ts";
import { withDatabase } from "../servers/state.ts";
import { atServer } from "../uploads/transfers.ts";

type Thumbnails = Pick<ShareFile, "thumbnailUrl" | "thumbnailWidth" | "thumbnailHeight">;

const UNLOCKED: ShareAccess = { kind: "unlocked", field: "unlockToken", token: "ul_x" };

interface ShownOptions {
  readonly access?: ShareAccess;
  readonly isWaiting?: boolean;
  /** The server's content URL, if it has one. */
  readonly contentUrl?: string;
}

/** Reads the thumbnail of each file on the page of a share. */
export async function shownThumbnails(
  server: Pick<TestServer, "dataDir">,
  shortId: string,
  { access = UNLOCKED, isWaiting = false, contentUrl }: ShownOptions = {},
): Promise<Thumbnails[]> {
  return await withServerContext(server, async (plain) => {
    const ctx = { ...plain, urls: { ...plain.urls, ...(contentUrl !== undefined && { contentUrl }) } };
    const view = await viewShare(ctx, shortId, null);
    assert.equal(view.kind, "open");
    const files =
      view.kind === "open"
        ? listedFiles(toSharePage(ctx, view, { access, messages: [], isOwner: false, isWaiting, request: WHOLE_SHIPMENT }).listing)
        : [];
    return files.map(({ thumbnailUrl, thumbnailWidth, thumbnailHeight }) => ({ thumbnailUrl, thumbnailWidth, thumbnailHeight }));
  });
}

export const NO_THUMBNAIL: Thumbnails = { thumbnailUrl: null, thumbnailWidth: null, thumbnailHeight: null };

/** Waits until the only file of a share has a thumbnail; resolves to its signed URL at the server. */
export async function waitForThumbnail(server: TestServer, shortId: string): Promise<string> {
  const url = await until("the thumbnail is made", async () => (await shownThumbnails(server, shortId))[0]?.thumbnailUrl);
  return atServer(server, url);
}

/**
 * Hides the thumbnails of a share's files, as if their jobs had not run yet. Resolves to a function that shows them again, as if they had been made
 * meanwhile.
 */
export async function hideThumbnails(server: Pick<TestServer, "dataDir">, shortId: string): Promise<() => Promise<void>> {
  const ids = new Set<string>();
  const files = await withDatabase(server, async (db) => {
    const made = await db
      .selectFrom("files")
      .select(["id", "thumbnail_bytes"])
      .where("short_id", "=", shortId)
      .where("thumbnail_bytes", "is not", null)
      .execute();
    for (const { id } of made) {
      const never = Date.now() + 3_600_000;
      const job = { id: crypto.randomUUID(), kind: THUMBNAIL_JOB, subject: id, runAtMs: never, nowMs: Date.now() };
      ids.add(job.id);
      await enqueueJob(db, job);
      await db.updateTable("files").set({ thumbnail_bytes: null }).where("id", "=", id).execute();
    }
    return made;
  });
  return () =>
    withDatabase(server, async (db) => {
      for (const { id, thumbnail_bytes } of files) await db.updateTable("files").set({ thumbnail_bytes }).where("id", "=", id).execute();
      for (const id of ids) await cancelJob(db, id);
    });
}

export const fetchCard = (server: Pick<TestServer, "url">, shortId: string): Promise<Response> =>
  fetch(`${server.url}/d/${shortId}/card.webp`);

/** Waits until no job is waiting or running. */
export async function waitForIdle(server: Pick<TestServer, "url">): Promise<void> {
  await until("all jobs have ended", async () => {
    const { checks } = (await (await fetch(`${server.url}/health`)).json()) as { checks: { jobs: { waiting: number; running: number } } };
    return checks.jobs.waiting + checks.jobs.running === 0;
  });
}
