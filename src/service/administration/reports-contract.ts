import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf } from "../../contract/paging.ts";
import { dateTime, described, EXAMPLE_SHA256, fileId, flag, reportReason, shortId, storedText, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { blockFields, listedPlaces } from "./contract.ts";
import { adminFile, fileOwner } from "./files-contract.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const TIME = "2030-01-30T12:00:00Z";
const shareStatus = z.enum(["active", "expired", "deleted", "dmca_removed"]);

const report = z.object({
  id: described(z.string(), "The report's ID, a UUID", ID),
  shortId,
  shareStatus: described(shareStatus.nullable(), "State of the share now; null: the server has no record of it", "active"),
  name: described(z.string(), "Name of the share when it was reported", "invoice.html"),
  encrypted: described(z.boolean(), "Whether the file with that name is end-to-end encrypted", false),
  fileCount: described(z.int(), "Its files when it was reported", 1),
  sizeBytes: described(z.int(), "Their size in bytes", 48_213),
  sha256: described(z.string().nullable(), "The SHA-256 of a share that was one file", EXAMPLE_SHA256),
  reason: reportReason,
  details: described(z.string().nullable(), "What the reporter wrote", "Imitates a bank's sign-in page."),
  email: described(z.string().nullable(), "Where the reporter can be reached", "eve@example.org"),
  createdAt: described(dateTime, "When it was sent", TIME),
  openReports: described(z.int(), "Open reports of the share, with this one", 1),
  resolvedAt: described(dateTime.nullable(), "When it was resolved; null: it is open"),
  resolution: described(z.string().nullable(), "The administrator's note"),
  outcome: described(z.enum(["dismissed", "taken_down"]).nullable(), "What was decided; null: it is open", "taken_down"),
  resolvedBy: described(
    z.string().nullable(),
    "The administrator's email address if it is verified, otherwise the ID; or `command_line`",
    "ada@example.org",
  ),
});

const listedReport = report.meta({ id: "ListedReport", description: "A report of a share, for administrators" });

const reportDetails = report
  .extend({
    owner: fileOwner,
    isProtected: described(z.boolean(), "Whether the share opens with a code", false),
    files: described(
      z.array(
        z.object({
          file: described(adminFile, "The file"),
          thumbnail: described(
            z
              .object({
                url: described(
                  secret(z.string()),
                  "Signed URL of the image",
                  "https://files.example.org/thumb/5hQ2vR8kLm3xTz0B?e=t5k2c0&s=Zm9v",
                ),
                width: described(z.int(), "In pixels", 256),
                height: described(z.int(), "In pixels", 192),
              })
              .nullable(),
            "Null: none, or only who has the share's code may see it",
          ),
        }),
      ),
      "The first 50 of its files",
    ),
    ...listedPlaces("Places of its files in other shares, also of those that were deleted from it; a takedown takes them down too"),
    others: described(z.array(report), "Up to 50 other reports of the share, the last sent first"),
  })
  .meta({ id: "ReportDetails", description: "A report with the share and its other reports, for administrators" });

const UNKNOWN = "There is no such report";
const RESOLVED = "It was resolved already";
const reportId = described(text(64).min(1), "The report's ID, a UUID", ID);
const note = described(storedText(1000).nullish(), "A note for the administrators", "Not the bank's page.");

/** reports, "For the administrator". */
export const reviewContract = {
  listReports: defineOperation({
    summary: "List the reports of shares",
    description: "Open reports are listed oldest first, others newest first.",
    tag: "Administration",
    method: "GET",
    path: "/admin/reports",
    access: "admin",
    isCompressed: true,
    input: () =>
      z.object({
        state: described(z.enum(["open", "resolved", "all"]).optional(), "Which reports; default: open", "open"),
        byShare: described(flag.optional(), "Whether to list only the first report of each share", false),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: described(text(64).min(1).optional(), "The `nextCursor` of the previous page", ID),
      }),
    output: () =>
      listOf(listedReport).extend({
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
  getReport: defineOperation({
    summary: "Get a report with its share",
    tag: "Administration",
    method: "GET",
    path: "/admin/reports/{id}",
    access: "admin",
    input: () => z.object({ id: reportId }),
    envelope: "data",
    output: () => reportDetails,
    errors: { 404: UNKNOWN },
  }),
  dismissReport: defineOperation({
    summary: "Resolve a report without changing its share",
    tag: "Administration",
    method: "POST",
    path: "/admin/reports/{id}/dismiss",
    access: "admin",
    input: () =>
      z.object({
        id: reportId,
        note,
        all: described(flag.optional(), "Whether to dismiss all open reports of the share", false),
      }),
    envelope: "data",
    output: () =>
      z.object({
        shortId,
        resolved: described(z.array(z.string()), "The IDs of the reports that are resolved now", [ID]),
      }),
    errors: { 404: UNKNOWN, 409: RESOLVED },
  }),
  takeDownReported: defineOperation({
    summary: "Take down what was reported, and resolve all open reports of the share",
    description: "The whole share, or one of its files. The bytes are kept in quarantine for some days; until then it can be restored.",
    tag: "Administration",
    method: "POST",
    path: "/admin/reports/{id}/takedown",
    access: "admin",
    input: () =>
      z.object({
        id: reportId,
        fileId: described(fileId.nullish(), "Only this file of the share; default: the whole share"),
        block: described(flag.optional(), "Whether to add the SHA-256 of what is taken down to the blocklist", false),
        publicReason: described(reportReason.nullish(), "The reason that the pages of its links give; default: the report's", "phishing"),
        note,
      }),
    envelope: "data",
    output: () =>
      z.object({
        shortId,
        resolved: described(z.array(z.string()), "The IDs of the reports that are resolved now", [ID]),
        bytesUntil: described(dateTime, "When the bytes are removed", "2030-02-06T12:00:00Z"),
        ...listedPlaces("Places in other shares, which are taken down with it"),
        ...blockFields,
      }),
    errors: { 404: `${UNKNOWN}, or its share was deleted and its files are in no other share`, 409: RESOLVED },
  }),
} as const;
