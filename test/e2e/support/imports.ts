import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { sendFile, startOrigin } from "../../support/origin-server.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { call } from "./api.ts";
import { startPlainServer } from "./plain.ts";

type Server = { readonly url: string };

/** What `POST /files/remote-multipart/init` answers. */
export interface Begun {
  readonly jobId: string;
  readonly jobSecret: string;
  readonly status: string;
  readonly statusUrl: string;
  readonly eventsUrl: string;
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

/** What a job tells of itself. */
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

/** A server that imports from loopback too. */
export const startImportingServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", ...env });

/** Begins an import that is accepted. */
export async function begin(to: Server, json: object, key?: string): Promise<Begun> {
  const answer = await call<{ data: Begun }>(to, "POST", "/api/files/remote-multipart/init", { json, key });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.data;
}

/** The job's address, with its secret. */
export const pathOf = ({ jobId, jobSecret }: Begun, rest = ""): string => `/api/files/remote-multipart/${jobId}${rest}?secret=${jobSecret}`;

export async function getJob(of: Server, begun: Begun): Promise<Job> {
  const answer = await call<{ data: Job }>(of, "GET", pathOf(begun));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

export const waitForEnd = (of: Server, begun: Begun): Promise<Job> =>
  until(
    "the import is over",
    async () => {
      const job = await getJob(of, begun);
      return ["completed", "failed", "cancelled"].includes(job.status) && job;
    },
    { deadlineMs: 30_000 },
  );

/** Waits until so many bytes have arrived. */
export const waitForBytes = (of: Server, begun: Begun, bytes: number): Promise<Job> =>
  until("bytes have arrived", async () => {
    const job = await getJob(of, begun);
    return job.bytesDone >= bytes && job;
  });

/** A source whose `/a` begins and does not end. */
export const stalled = () => startOrigin({ "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }) });
