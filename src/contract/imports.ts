import { z } from "zod";
import { uploadResult } from "./files.ts";
import { defineOperation } from "./operation.ts";
import { publishFields } from "./publish.ts";
import { dateTime, described, sentFileName, text } from "./scalars.ts";

/** Anything but a text counts as none at all, so that it is answered as NO_URL. */
const url = z
  .preprocess((value) => (typeof value === "string" ? value.trim() : ""), z.string())
  .meta({
    format: "uri",
    description: "Public http or https address of the file; share links of well-known services are fine",
    examples: ["https://example.org/report.pdf"],
  });
const fileName = described(sentFileName.nullish(), "The file's name; by default the one that the remote server gives it", "report.pdf");
const source = { url, fileName, ...publishFields };

const jobId = described(text(64).min(1), "The job's id, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");
const named = {
  jobId,
  secret: described(text(200).optional(), "The job's secret, where the owner's key is not sent", "job_2kV8nT"),
  jobSecret: described(text(200).optional(), "The same as secret", "job_2kV8nT"),
};

const status = described(z.enum(["queued", "importing", "completed", "failed", "cancelled"]), "How the import stands", "completed");

/** An import under way or over (decisions, "Remote import"). */
export const importJob = z
  .object({
    jobId,
    status,
    phase: described(z.string(), "What it does at the moment: waiting, connecting, downloading, saving, or done", "done"),
    bytesDone: described(z.int(), "Bytes that have arrived", 48_213),
    bytesTotal: described(z.int().nullable(), "Bytes of the file; null where the remote server does not say", 48_213),
    percent: described(z.int().nullable(), "How much of it has arrived; null where that is not known", 100),
    sharePath: described(z.string().nullable(), "Path of the share link, once completed", "/d/7kXq9Zab"),
    fileId: described(z.string().nullable(), "The file's id, once completed", "5hQ2vR8kLm3xTz0B"),
    shortId: described(z.string().nullable(), "The share's short id, once completed", "7kXq9Zab"),
    name: described(z.string().nullable(), "Name of the file, once known", "report.pdf"),
    error: described(z.string().nullable(), "Why it failed, as a sentence"),
    errorCode: described(z.string().nullable(), "Why it failed, in UPPER_SNAKE"),
    createdAt: described(dateTime, "When it was asked for", "2030-01-30T12:00:00Z"),
    updatedAt: described(dateTime, "When anything of this changed last", "2030-01-30T12:00:05Z"),
    unlockCode: described(z.string().optional(), "Unlock code of a share that was asked to be protected; for a day", "K7MP3X"),
    handoffUrl: described(
      z.url().optional(),
      "Private delivery link of a share that was asked to be protected; for a day",
      "https://files.example.org/h/ho_5Yc1mQ",
    ),
  })
  .meta({ id: "ImportJob", description: "An import that is under way or has ended" });
export type ImportJob = z.infer<typeof importJob>;

const answer = z.object({ success: z.literal(true), data: importJob });
const UNKNOWN = { 404: "Unknown, or neither the owner's key nor the job's secret was sent" } as const;
const REFUSALS = {
  400: "No URL, one that is not allowed, or invalid fields",
  404: "A folder or shipment that is not the caller's",
  413: "Past the tier's file size or quota",
  429: "The hourly cap of imports is reached",
} as const;

export const importsContract = {
  importFile: defineOperation({
    summary: "Import a file from a public URL, and wait for it",
    description: "Takes 5 minutes at most; for larger files begin a job with POST /files/remote-multipart/init.",
    tag: "Import",
    method: "POST",
    path: "/files/remote-upload",
    access: "optional",
    waits: true,
    input: z.object(source),
    example: { url: "https://example.org/report.pdf", ttl: "24h" },
    output: z.object({ success: z.literal(true), data: uploadResult }),
    errors: {
      ...REFUSALS,
      422: "A host that is not known, a web page instead of a file, a file that is sent compressed only, or too many redirects",
      502: "The remote server refused (`remoteStatus`) or could not be reached",
      504: "The remote server took too long",
      507: "The server's disk is full",
    },
  }),
  initImport: defineOperation({
    summary: "Begin an import job",
    description: "It goes on by itself, also after a restart of the server. The secrets are told this once.",
    tag: "Import",
    method: "POST",
    path: "/files/remote-multipart/init",
    access: "optional",
    status: () => 202,
    input: z.object(source),
    example: { url: "https://example.org/report.pdf", ttl: "24h" },
    output: z.object({
      success: z.literal(true),
      data: z.object({
        jobId,
        jobSecret: described(z.string(), "Shows and cancels the job without a key; told once", "job_2kV8nT"),
        status,
        statusUrl: described(z.url(), "Where to look at the job", "https://files.example.org/api/files/remote-multipart/0198c1f0"),
        eventsUrl: described(z.url(), "Where to follow the job", "https://files.example.org/api/files/remote-multipart/0198c1f0/events"),
        claimToken: described(z.string().optional(), "Of an anonymous import, once: claims or protects the file", "claim_8sY2kQ"),
        deletionToken: described(z.string().optional(), "Of an anonymous import, once: deletes the file", "del_4tR9wZ"),
      }),
    }),
    errors: REFUSALS,
  }),
  getImport: defineOperation({
    summary: "See how far an import is",
    tag: "Import",
    method: "GET",
    path: "/files/remote-multipart/{jobId}",
    access: "optional",
    input: z.object(named),
    output: answer,
    errors: UNKNOWN,
  }),
  watchImport: defineOperation({
    summary: "Follow an import as server-sent events",
    description: "Each event's data is the job; the last one tells how it ended. 204 where the event named by Last-Event-ID was the last.",
    tag: "Import",
    method: "GET",
    path: "/files/remote-multipart/{jobId}/events",
    access: "optional",
    input: z.object({ ...named, lastEventId: described(text(40).optional(), "As the header Last-Event-ID", "1896091205000") }),
    output: z.custom<AsyncIterable<ImportJob> | undefined>(),
    events: { data: importJob, id: (job: ImportJob) => String(Date.parse(job.updatedAt)) },
    errors: { ...UNKNOWN, 429: "Ten event streams are open already" },
  }),
  cancelImport: defineOperation({
    summary: "Cancel an import",
    description: "What has arrived goes. Calling it again is fine.",
    tag: "Import",
    method: "DELETE",
    path: "/files/remote-multipart/{jobId}",
    access: "optional",
    input: z.object(named),
    output: answer,
    errors: { ...UNKNOWN, 409: "It is over already" },
  }),
} as const;
