import { z } from "zod";
import { defineOperation } from "./operation.ts";

const check = z.object({ ok: z.boolean(), reason: z.string().optional() });

/** State of the server and its parts (decisions, "Addresses"). */
export const health = z
  .object({
    status: z.enum(["ok", "degraded"]),
    version: z.string(),
    uptimeSeconds: z.int(),
    checks: z.object({
      database: check,
      storage: check,
      scanner: check.extend({
        mode: z.enum(["off", "none", "clamd"]),
        version: z.string().optional(),
        signatures: z.string().optional(),
        signaturesAgeSeconds: z.int().optional(),
        selfTest: z.boolean().optional(),
      }),
      jobs: check.extend({ waiting: z.int(), running: z.int() }),
    }),
  })
  .meta({ id: "Health" });
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
