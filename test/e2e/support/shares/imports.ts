import { randomBytes } from "node:crypto";
import type { Output } from "../../../../src/service/contract.ts";
import type { TestServer } from "../../../support/server.ts";
import { sendFile, startOrigin } from "../../../support/services/origin-server.ts";
import { until } from "../../../support/until.ts";
import { clientOf, type InputOf } from "../api/api.ts";
import { startPlainServer } from "../servers/plain-server.ts";

type Server = { readonly url: string };

export type CreatedImport = Output<"initImport">;

export type Job = Output<"getImport">;

/** Starts a server that may import from loopback addresses. */
export const startImportingServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", ...env });

/** Starts an import job; asserts that it is accepted. */
export async function createImport(to: Server, json: object, key?: string): Promise<CreatedImport> {
  return (await clientOf(to, { key }).call("initImport", json as InputOf<"initImport">)).data;
}

/** Returns the path of a job with its secret. */
export const jobPath = ({ jobId, jobSecret }: CreatedImport, rest = ""): string =>
  `/api/files/remote-multipart/${jobId}${rest}?secret=${jobSecret}`;

export async function getJob(of: Server, { jobId, jobSecret }: CreatedImport): Promise<Job> {
  return (await clientOf(of).call("getImport", { jobId, secret: jobSecret })).data;
}

export async function cancelImport(of: Server, { jobId, jobSecret }: Pick<CreatedImport, "jobId" | "jobSecret">): Promise<Job> {
  return (await clientOf(of).call("cancelImport", { jobId, secret: jobSecret })).data;
}

export const waitForEnd = (of: Server, created: CreatedImport, { deadlineMs = 30_000 } = {}): Promise<Job> =>
  until(
    "the import has ended",
    async () => {
      const job = await getJob(of, created);
      return ["completed", "failed", "cancelled"].includes(job.status) && job;
    },
    { deadlineMs },
  );

/** Waits until the job has received at least `bytes` bytes. */
export const waitForBytes = (of: Server, created: CreatedImport, bytes: number): Promise<Job> =>
  until("the bytes are received", async () => {
    const job = await getJob(of, created);
    return job.bytesDone >= bytes && job;
  });

/** Starts a source whose `/a` sends 600 of 1000 bytes and then stalls. */
export const startStalledOrigin = () => startOrigin({ "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }) });
