import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../lib/text/parse-json.ts";
import { isUuid } from "../shares/subject.ts";
import { type Environment, readFolder, readPrivateFile, stateFolder, UNFINISHED_MAX_AGE_MS, writePrivateFile } from "./private-files.ts";

/** An import that was begun on this device. `secret` follows and cancels the import; the tokens belong to its file. */
const rememberedImport = z.object({
  /** The address by which the client reaches the server. */
  server: z.string(),
  jobId: z.string(),
  secret: z.string(),
  /** The URL of the file. */
  source: z.string(),
  createdAt: z.string(),
  claimToken: z.string().optional(),
  deletionToken: z.string().optional(),
  /** The link of the sender's receipt, if the file is for a request. */
  receiptUrl: z.string().optional(),
});
export type RememberedImport = z.infer<typeof rememberedImport>;

export interface ImportRecords {
  save(job: RememberedImport): Promise<void>;
  find(jobId: string): Promise<RememberedImport | undefined>;
  forget(jobId: string): Promise<void>;
}

/** Opens the records: a file for each import that has not ended. Only the user can read it. */
export function openImportRecords(env: Environment, nowMs: () => number = Date.now): ImportRecords {
  const folder = join(stateFolder(env), "imports");
  const pathOf = (jobId: string): string => join(folder, `${jobId.toLowerCase()}.json`);
  return {
    async save(job) {
      // The ID comes from the server and becomes a file name, so it is checked.
      if (!isUuid(job.jobId)) return;
      for (const [name, text] of await readFolder(folder, ".json")) {
        const createdAt = rememberedImport.safeParse(parseJson(text)).data?.createdAt ?? "";
        if (!(Date.parse(createdAt) > nowMs() - UNFINISHED_MAX_AGE_MS)) await rm(join(folder, name), { force: true });
      }
      await writePrivateFile(pathOf(job.jobId), JSON.stringify(job));
    },
    async find(jobId) {
      return isUuid(jobId) ? rememberedImport.safeParse(parseJson((await readPrivateFile(pathOf(jobId))) ?? "")).data : undefined;
    },
    async forget(jobId) {
      if (isUuid(jobId)) await rm(pathOf(jobId), { force: true });
    },
  };
}
