import { z } from "zod";
import { CHECK_SUBJECTS } from "../../contract/check-names.ts";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described } from "../../contract/scalars.ts";
import { failedJobCounts } from "../administration/jobs-contract.ts";
import { health } from "./contract.ts";

const number = (description: string, example = 3) => described(z.int(), description, example);

const overview = z
  .object({
    health: described(health, "What `GET /health` says"),
    storage: described(
      z.object({
        freeBytes: described(z.int().nullable(), "Bytes free in the store; null: it has no limit of its own", 1_000_000_000),
        usage: described(
          z.array(
            z.object({
              tier: described(z.enum(["anonymous", "free", "pro"]), "The tier", "free"),
              usedBytes: number("Bytes that files of the tier use", 48_213),
              files: number("Files of the tier, including unfinished uploads", 12),
            }),
          ),
          "Use by tier",
        ),
      }),
      "The store",
    ),
    accounts: described(
      z.object({
        people: number("Accounts of people, with administrators", 12),
        administrators: number("Administrators", 1),
        agents: number("Registered agents"),
        disabled: number("Disabled accounts", 0),
      }),
      "Numbers of accounts",
    ),
    signUp: described(z.enum(["open", "invite", "closed"]), "Who can create an account", "open"),
    jobs: described(
      z.array(
        z.object({
          kind: described(z.string(), "What they do", "scan"),
          waiting: number("Waiting jobs"),
          failing: number("Those whose last attempt failed", 0),
          oldestAt: described(dateTime, "When the oldest was created", "2030-01-30T12:00:00Z"),
        }),
      ),
      "Background jobs by kind",
    ),
    failures: described(
      z.object({
        openReports: number("Reports of shares that are not resolved", 0),
        failedJobs: described(failedJobCounts, "Background work that failed: `GET /admin/jobs` lists it"),
        failedScans: number("Files that are blocked because their scan failed", 0),
        pausedWebhooks: number("Webhook endpoints that are paused because they failed", 0),
      }),
      "What may need an administrator",
    ),
    blockedDigests: number("Digests on the blocklist"),
    warnings: described(
      z.array(z.enum(["no_tls", "no_scanner", "no_mail", "no_content_url", "unknown_client_address"])),
      "Parts that are not set up: TLS, a malware scanner, mail, a separate host name for the bytes of files, a proxy that names its clients",
      ["no_mail"],
    ),
    unknownClientAddress: described(z.string().nullable(), "What a trusted proxy named as its client, and is no address", "unknown"),
    days: described(
      z.array(
        z.object({
          day: described(z.string(), "The day in UTC", "2030-01-30"),
          usedBytes: described(z.int().nullable(), "Bytes of all files at its end; null: not recorded", 48_213),
          uploads: number("Complete uploads and imports", 12),
          downloads: number("Downloads, each file of an archive counted", 40),
          failures: described(
            z.int().nullable(),
            "The highest number of failed jobs and scans that waited at the same time; null: not recorded",
            0,
          ),
        }),
      ),
      "The last 30 days, the oldest first",
    ),
  })
  .meta({ id: "Overview", description: "The state of the server, for administrators" });

export type Overview = z.infer<typeof overview>;

const checkResult = z
  .object({
    status: described(z.enum(["ok", "warn", "fail"]), "Whether the part works", "ok"),
    what: described(z.string(), "The part", "database"),
    subject: described(z.enum(CHECK_SUBJECTS), "What the result is about; findings of one part have different ones", "database"),
    detail: described(z.string(), "Its state", "responds"),
    fix: described(z.string().optional(), "What to do, one step per line; absent if it works"),
  })
  .meta({ id: "CheckResult", description: "One result of a check of the installation" });

/** administration, "Overview". */
export const overviewContract = {
  getOverview: defineOperation({
    summary: "Get the state of the server",
    tag: "Administration",
    method: "GET",
    path: "/admin/overview",
    access: "admin",
    input: () => z.object({}),
    envelope: "data",
    output: () => overview,
    errors: {},
  }),
  checkInstallation: defineOperation({
    summary: "Check the installation",
    description: "The checks of `filehost doctor`, run by the server. Each has a time limit. Send no body.",
    tag: "Administration",
    method: "POST",
    path: "/admin/checks",
    access: "admin",
    body: "query",
    repeatable: true,
    waits: true,
    input: () => z.object({}),
    envelope: "data",
    output: () =>
      z.object({
        ok: described(z.boolean(), "Whether no check failed", true),
        results: described(z.array(checkResult), "The checks, in their order"),
      }),
    errors: { 503: "The server cannot check itself" },
  }),
} as const;
