import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described } from "../../contract/scalars.ts";

const check = z.object({
  ok: described(z.boolean(), "Whether it works", true),
  reason: described(z.string().optional(), "What is wrong, if it does not work"),
});

/** State of the server and its parts (addresses, "Health"). */
export const health = z
  .object({
    status: described(z.enum(["ok", "degraded"]), "degraded if a check fails", "ok"),
    version: described(z.string(), "Version of the server", "1.0.0"),
    uptimeSeconds: described(z.int(), "Seconds since the server started", 3600),
    checks: described(
      z.object({
        database: described(check, "The database"),
        storage: described(check, "The file store"),
        scanner: described(
          check.extend({
            mode: described(z.enum(["off", "none", "clamd"]), "off: disabled; none: no clamd found; clamd: in use", "clamd"),
            version: described(z.string().optional(), "Version of the scanner", "ClamAV 1.4.2"),
            signatures: described(z.string().optional(), "Version of its signatures", "27500"),
            signaturesAgeSeconds: described(z.int().optional(), "Age of the signatures, seconds", 7200),
            selfTest: described(z.boolean().optional(), "Whether the scanner found the test pattern", true),
          }),
          "The malware scanner",
        ),
        jobs: described(
          check.extend({ waiting: described(z.int(), "Waiting jobs", 0), running: described(z.int(), "Running jobs", 0) }),
          "Background jobs",
        ),
      }),
      "The server's parts",
    ),
  })
  .meta({ id: "Health", description: "State of the server and its parts" });
export type Health = z.infer<typeof health>;

export const systemContract = {
  getHealth: defineOperation({
    summary: "Get the state of the server and its parts",
    tag: "System",
    method: "GET",
    path: "/health",
    access: "public",
    requests: 0,
    input: z.object({}),
    output: health,
    status: (output) => (output.status === "ok" ? 200 : 503),
    errors: { 503: "A part does not work; the body is the same, with `status` `degraded`" },
  }),
} as const;
