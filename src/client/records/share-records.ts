import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DAY_MS } from "../../lib/text/duration.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { isAtServer, parseShareLink } from "../server/server-address.ts";
import { withFileLock } from "./file-lock.ts";
import { type Environment, readFolder, readPrivateFile, stateFolder, writePrivateFile } from "./private-files.ts";

/** A share that was sent without an account. Its tokens are the only proof of its sender. */
const anonymousShare = z.object({
  /** The address by which the client reaches the server. */
  server: z.string(),
  shortId: z.string(),
  url: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  createdAt: z.string(),
  /** ISO time; null: never. */
  expiresAt: z.string().nullable(),
  fileIds: z.array(z.string()),
  claimToken: z.string().optional(),
  deletionToken: z.string().optional(),
  /** The token that adds files to a shipment, for a day. Shares of one file have none. */
  shareToken: z.string().optional(),
  /** The fragment (the text after `#`) of the link of an encrypted share. */
  fragmentKey: z.string().optional(),
  /** The secrets that abort the upload in parts of a file that is not complete. */
  unfinishedUpload: z.object({ uploadId: z.string(), key: z.string() }).optional(),
});
export type AnonymousShare = z.infer<typeof anonymousShare>;

type ShareName = Pick<AnonymousShare, "server" | "shortId">;

type ShareChange = Partial<Omit<AnonymousShare, keyof ShareName>>;

/** The anonymous shares of this device. Several processes may use it at the same time. */
export interface ShareRecords {
  /** Remembers a share, in place of an earlier one with its server and short ID. */
  add(share: AnonymousShare): Promise<void>;
  /** Lists the shares, newest first, without those that this device believes to have expired. */
  list(): Promise<readonly AnonymousShare[]>;
  /**
   * Lists the expired shares, for a month after their end. Their owners may have extended them elsewhere, or the clock of this device may be wrong.
   */
  listExpired(): Promise<readonly AnonymousShare[]>;
  /**
   * Finds a share, also an expired one, by its short ID, the ID of one of its files or its link. An ID only finds shares of `server` if it is given.
   */
  find(idOrUrl: string, server?: string): Promise<AnonymousShare | undefined>;
  /** Changes a share. Does nothing if it is not remembered. */
  update(share: ShareName, change: ShareChange | ((share: AnonymousShare) => ShareChange)): Promise<void>;
  forget(share: ShareName): Promise<void>;
}

/** The time that an expired share is remembered. Its tokens exist nowhere else. */
const KEPT_MS = 30 * DAY_MS;

const endMs = ({ expiresAt }: AnonymousShare): number => (expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));

/** Opens the records: a file for each share, below the state folder. Only the user can read it. */
export function openShareRecords(env: Environment, nowMs: () => number = Date.now): ShareRecords {
  const folder = join(stateFolder(env), "shares");
  const pathOf = ({ server, shortId }: ShareName): string => join(folder, `${nameOf(server, shortId)}.json`);
  const save = (share: AnonymousShare): Promise<void> => writePrivateFile(pathOf(share), JSON.stringify(anonymousShare.parse(share)));
  const change = <T>(work: () => Promise<T>): Promise<T> => withFileLock(join(folder, "lock"), work);

  async function readAll(): Promise<readonly AnonymousShare[]> {
    const shares: AnonymousShare[] = [];
    for (const [name, text] of await readFolder(folder, ".json")) {
      const share = anonymousShare.safeParse(parseJson(text)).data;
      if (share === undefined) continue;
      if (endMs(share) + KEPT_MS > nowMs()) shares.push(share);
      else await rm(join(folder, name), { force: true });
    }
    return shares.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  }
  const isExpired = (share: AnonymousShare): boolean => endMs(share) <= nowMs();

  return {
    list: async () => (await readAll()).filter((share) => !isExpired(share)),
    listExpired: async () => (await readAll()).filter(isExpired),
    add: (share) => change(() => save(share)),
    async find(idOrUrl, server) {
      const link = parseShareLink(idOrUrl);
      const id = link?.id ?? idOrUrl.trim();
      const asked = link?.server ?? server;
      return (await readAll()).find(
        (share) => (share.shortId === id || share.fileIds.includes(id)) && (asked === undefined || isAtServer(share, asked)),
      );
    },
    update: (share, changes) =>
      change(async () => {
        const found = anonymousShare.safeParse(parseJson((await readPrivateFile(pathOf(share))) ?? "")).data;
        if (found) await save({ ...found, ...(typeof changes === "function" ? changes(found) : changes) });
      }),
    forget: (share) => change(() => rm(pathOf(share), { force: true })),
  };
}

/**
 * Derives the file name of a remembered share from its server and short ID. The name is safe in every file system, also where `a` and `A` are one
 * name.
 */
const nameOf = (server: string, shortId: string): string => createHash("sha256").update(`${server}\n${shortId}`).digest("hex").slice(0, 32);
