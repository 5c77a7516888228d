import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { sendFile, startOrigin } from "../../support/origin-server.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { call, clientOf, type InputOf } from "./api.ts";
import { startPlainServer } from "./plain-server.ts";

type Server = { readonly url: string };

/** The response of `POST /files/remote-multipart/init`. */
export interface CreatedImport {
  readonly jobId: string;
  readonly jobSecret: string;
  readonly status: string;
  readonly statusUrl: string;
  readonly eventsUrl: string;
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

/** The public state of an import job. */
export interface Job {
  readonly jobId: string;
  readonly status: string;
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly percent: number | null;
  readonly sharePath: string | null;
  readonly fileId: string | null;
  readonly shortId: string | null;
  readonly name: string | null;
  readonly error: string | null;
  readonly errorCode: string | null;
  readonly updatedAt: string;
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

/** Starts a server that may import from loopback addresses. */
export const startImportingServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", ...env });

/** Starts an import job; asserts that it is accepted. */
export async function createImport(to: Server, json: object, key?: string): Promise<CreatedImport> {
  return (await clientOf(to, { key }).call("initImport", json as InputOf<"initImport">)).data;
}

/** The path of a job with its secret. */
export const jobPath = ({ jobId, jobSecret }: CreatedImport, rest = ""): string =>
  `/api/files/remote-multipart/${jobId}${rest}?secret=${jobSecret}`;

export async function getJob(of: Server, created: CreatedImport): Promise<Job> {
  const response = await call<{ data: Job }>(of, "GET", jobPath(created));
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data;
}

export const waitForEnd = (of: Server, created: CreatedImport): Promise<Job> =>
  until(
    "the import has ended",
    async () => {
      const job = await getJob(of, created);
      return ["completed", "failed", "cancelled"].includes(job.status) && job;
    },
    { deadlineMs: 30_000 },
  );

/** Waits until the job has received at least `bytes` bytes. */
export const waitForBytes = (of: Server, created: CreatedImport, bytes: number): Promise<Job> =>
  until("the bytes are received", async () => {
    const job = await getJob(of, created);
    return job.bytesDone >= bytes && job;
  });

/** Starts a source whose `/a` sends 600 of 1000 bytes and stalls. */
export const startStalledOrigin = () => startOrigin({ "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }) });
