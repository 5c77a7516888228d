import { createHash } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DAY_MS } from "../../lib/text/duration.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { contract } from "../../service/contract.ts";
import type { ShareContents } from "../download-share/open-share.ts";
import { type Environment, readPrivateFile, removeOldFiles, stateFolder, writePrivateFile } from "./private-files.ts";

/**
 * The records that continue downloads of limited shares, which the server hides once their last download is counted. If nothing can be written,
 * nothing is recorded.
 */
export interface DownloadRecords {
  /** Finds the share of an earlier try. `subject` is the server and the link or ID that was requested. */
  findShare(subject: string): Promise<ShareContents | undefined>;
  saveShare(subject: string, share: ShareContents): Promise<void>;
  forgetShare(subject: string): Promise<void>;
  /** Finds the path, without `.part`, of a complete file that could not get its name. */
  findComplete(source: string): Promise<string | undefined>;
  saveComplete(source: string, path: string): Promise<void>;
  forgetComplete(source: string): Promise<void>;
}

const entry = z.object({ share: contract.getShare.output.optional(), path: z.string().optional() });

const MAX_AGE_MS = 30 * DAY_MS;

/** Opens the records: files that only the user can read, and that are removed after 30 days. */
export function openDownloadRecords(env: Environment): DownloadRecords {
  const folder = join(stateFolder(env), "downloads");
  const pathOf = (subject: string): string => join(folder, `${createHash("sha256").update(subject).digest("hex")}.json`);
  const find = async (subject: string): Promise<z.output<typeof entry> | undefined> =>
    entry.safeParse(parseJson((await readPrivateFile(pathOf(subject)).catch(() => undefined)) ?? "")).data;
  const save = async (subject: string, value: z.output<typeof entry>): Promise<void> => {
    await removeOldFiles(folder, MAX_AGE_MS);
    await writePrivateFile(pathOf(subject), JSON.stringify(value)).catch(() => undefined);
  };
  const forget = (subject: string): Promise<void> => rm(pathOf(subject), { force: true }).catch(() => undefined);
  return {
    findShare: async (subject) => (await find(subject))?.share,
    saveShare: (subject, share) => save(subject, { share }),
    forgetShare: forget,
    async findComplete(source) {
      const path = (await find(source))?.path;
      const isThere = async (name: string): Promise<boolean> => (await stat(name).catch(() => undefined))?.isFile() === true;
      return path !== undefined && (await isThere(`${path}.part`)) && (await isThere(`${path}.part.json`)) ? path : undefined;
    },
    saveComplete: (source, path) => save(source, { path }),
    forgetComplete: forget,
  };
}
