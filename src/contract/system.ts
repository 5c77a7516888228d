import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { described } from "./scalars.ts";

const check = z.object({
  ok: described(z.boolean(), "Whether it works", true),
  reason: described(z.string().optional(), "What is wrong, where it does not"),
});

/** State of the server and its parts (decisions, "Addresses"). */
export const health = z
  .object({
    status: described(z.enum(["ok", "degraded"]), "degraded where a check fails", "ok"),
    version: described(z.string(), "Version of the server", "1.0.0"),
    uptimeSeconds: described(z.int(), "Since when it runs", 3600),
    checks: described(
      z.object({
        database: described(check, "The database"),
        storage: described(check, "Where bytes are kept"),
        scanner: described(
          check.extend({
            mode: described(z.enum(["off", "none", "clamd"]), "off by setting, none found, or clamd", "clamd"),
            version: described(z.string().optional(), "Version of the scanner", "ClamAV 1.4.2"),
            signatures: described(z.string().optional(), "Version of its signatures", "27500"),
            signaturesAgeSeconds: described(z.int().optional(), "How old they are", 7200),
            selfTest: described(z.boolean().optional(), "Whether it found the test pattern", true),
          }),
          "The check for malware",
        ),
        jobs: described(
          check.extend({ waiting: described(z.int(), "Jobs that wait", 0), running: described(z.int(), "Jobs that run", 0) }),
          "Work in the background",
        ),
      }),
      "The server's parts",
    ),
  })
  .meta({ id: "Health", description: "State of the server and its parts" });
export type Health = z.infer<typeof health>;

export const systemContract = {
  getHealth: defineOperation({
    summary: "State of the server and its parts",
    tag: "System",
    method: "GET",
    path: "/health",
    access: "public",
    requests: 0,
    input: z.object({}),
    output: health,
    status: (output) => (output.status === "ok" ? 200 : 503),
    errors: { 503: "A part does not work; same shape, `status` is `degraded`" },
  }),
} as const;
