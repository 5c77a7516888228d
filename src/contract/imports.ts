import { z } from "zod";
import { uploadResult } from "./files.ts";
import { defineOperation } from "./operation.ts";
import { publishFields } from "./publish.ts";
import { dateTime, sentFileName, text } from "./scalars.ts";

/** Anything but a text counts as none at all, so that it is answered as NO_URL. */
const url = z
  .preprocess((value) => (typeof value === "string" ? value.trim() : ""), z.string())
  .meta({ format: "uri", description: "Public http or https address of the file; share links of well-known services are fine" });
const fileName = sentFileName.nullish().meta({ description: "By default the name that the remote server gives it" });
const source = { url, fileName, ...publishFields };

const jobId = text(64).min(1).meta({ description: "The job's id" });
const named = {
  jobId,
  secret: text(200).optional().meta({ description: "The job's secret, where the owner's key is not sent" }),
  jobSecret: text(200).optional().meta({ description: "The same as secret" }),
};

const status = z.enum(["queued", "importing", "completed", "failed", "cancelled"]);

/** An import under way or over (decisions, "Remote import"). */
export const importJob = z
  .object({
    jobId: z.string(),
    status,
    phase: z.string().meta({ description: "What it does at the moment: waiting, connecting, downloading, saving, or done" }),
    bytesDone: z.int(),
    bytesTotal: z.int().nullable(),
    percent: z.int().nullable(),
    sharePath: z.string().nullable(),
    fileId: z.string().nullable(),
    shortId: z.string().nullable(),
    name: z.string().nullable(),
    error: z.string().nullable(),
    errorCode: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
    unlockCode: z.string().optional().meta({ description: "Of a share that was asked to be protected; for a day" }),
    handoffUrl: z.url().optional().meta({ description: "Of a share that was asked to be protected; for a day" }),
  })
  .meta({ id: "ImportJob" });
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
    output: z.object({
      success: z.literal(true),
      data: z.object({
        jobId: z.string(),
        jobSecret: z.string(),
        status,
        statusUrl: z.url(),
        eventsUrl: z.url(),
        claimToken: z.string().optional(),
        deletionToken: z.string().optional(),
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
    input: z.object({ ...named, lastEventId: text(40).optional().meta({ description: "As the header Last-Event-ID" }) }),
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
